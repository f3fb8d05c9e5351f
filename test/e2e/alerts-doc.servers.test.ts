// docs/alerts.md, followed literally on moto and on Ceph's gateway, with receivers of the test: mail after STARTTLS, webhooks with TLS, and
// CloudWatch of moto.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { CloudWatchClient, ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noise } from '../core/archive/trees.js';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { documentAt } from '../support/follow-document.js';
import { type HookServer, startHook } from '../support/hook-server.js';
import { startSmtp } from '../support/smtp-server.js';
import { TEST_CERTIFICATE } from '../support/test-certificate.js';

/** For machines with much else to do. */
const TIMEOUT_MS = 540_000;
const moto = process.env['ARCHIVER_TEST_MOTO'];
const PASSWORD = 'the-password-of-mail';

interface Alerted {
  readonly type: string;
  readonly severity: string;
  readonly project: string | null;
  readonly writerId: string | null;
  readonly isTest: boolean;
}

const alertsIn = ({ requests }: HookServer): readonly Alerted[] =>
  requests.flatMap(({ body }) => (JSON.parse(body) as { readonly alerts: readonly Alerted[] }).alerts);
const told = (hook: HookServer): readonly string[] =>
  alertsIn(hook).map(({ severity, type, writerId, project }) => [severity, type, writerId ?? project ?? '-'].join(' '));

describe.each([
  ['moto', moto, 'eu-west-1'],
  ['Ceph', process.env['ARCHIVER_TEST_RGW'], 'eu-west-2'],
] as const)('docs/alerts.md on %s', { timeout: TIMEOUT_MS }, (_name, endpoint, region) => {
  const isAbsent = endpoint === undefined || moto === undefined;
  /** What the page says, and what is said here: addresses of receivers, sizes and times. */
  const names: (readonly [string | RegExp, string])[] = [];
  const page = documentAt('alerts.md', endpoint ?? '', () => names);
  const { at, block, blocks, bucket, client } = page;
  const env: Record<string, string> = {};
  let proxy: FaultProxy;
  const follow = (commands: string) => page.follow(commands, env);

  /** Receivers, and the channels that lead to them, as the page configures them. */
  const configured = async () => {
    const [smtp, slack, hook] = [
      await startSmtp({ password: PASSWORD }),
      await startHook(undefined, { isTls: true }),
      await startHook(undefined, { isTls: true }),
    ];
    names.splice(
      0,
      names.length,
      ['mail.example.org', '127.0.0.1'],
      ['https://example.org', hook.url],
      ['--region eu-central-1', `--region ${region}`],
      ['--volume 20000', '--volume 0.002'],
      ['--cooldown 12h', '--cooldown 1s'],
      ['--threshold 3h', '--threshold 2s'],
    );
    env['ARCHIVER_SMTP_PORT'] = String(smtp.port);
    writeFileSync(at('etc/archiver/slack-url'), `${slack.url}/services/T0SECRET\n`);
    return { smtp, slack, hook, ...(await follow(block('alerts configure email'))) };
  };
  const metricsOf = async (name: string, value: string): Promise<readonly string[]> => {
    const cloud = new CloudWatchClient({
      region,
      endpoint: moto ?? '',
      credentials: { accessKeyId: 'archiver', secretAccessKey: 'archiver-secret' },
    });
    const { Metrics = [] } = await cloud.send(
      new ListMetricsCommand({ Namespace: 'Archiver/Budget', Dimensions: [{ Name: name, Value: value }] }),
    );
    cloud.destroy();
    return [...new Set(Metrics.map(({ MetricName = '' }) => MetricName))].sort();
  };

  beforeAll(async () => {
    if (isAbsent) return;
    await page.prepare();
    proxy = await startFaultProxy(endpoint);
    for (const folder of ['srv/genomes', 'etc/archiver']) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at('etc/archiver/smtp-password'), `${PASSWORD}\n`, { mode: 0o600 });
    writeFileSync(at('ca.pem'), TEST_CERTIFICATE);
    writeFileSync(at('srv/genomes/a.bin'), noise(1_700_000));
    Object.assign(env, {
      AWS_ENDPOINT_URL: proxy.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH: moto,
      AWS_CA_BUNDLE: at('ca.pem'),
    });
  });
  beforeEach(() => rmSync(at('.archiver'), { recursive: true, force: true }));
  afterAll(async () => {
    await proxy?.close();
    page.remove();
  });

  it.skipIf(isAbsent)('every channel gets the test, signed as the page says, and no secret is shown', async () => {
    const { smtp, slack, hook, status, said } = await configured();

    expect([status, said]).toEqual([0, expect.stringMatching(/^email +✓ sent\nslack +✓ sent\nwebhook +✓ sent\n/m)]);
    expect(smtp.mails).toMatchObject([
      { isSecure: true, user: 'lab', from: 'archiver@example.org', to: ['pi@example.org', 'it@example.org'] },
    ]);
    expect(slack.requests).toMatchObject([{ path: '/services/T0SECRET', body: expect.stringContaining('#storage') }]);
    expect(alertsIn(hook)).toMatchObject([{ isTest: true, severity: 'warning' }]);
    expect(await metricsOf('ProjectID', 'sample-project')).toContain('BudgetUsagePercent');
    const secret = readFileSync(at('etc/archiver/webhook-secret'), 'utf8').trim();
    expect(isOurs(hook, secret)).toBe(true);
    expect(isOurs(hook, `${secret}x`)).toBe(false);
    expect([statSync(at('etc/archiver/webhook-secret')).mode, statSync(at('.archiver/alerts.json')).mode]).toEqual([
      0o100600, 0o100600,
    ]);
    for (const hidden of [PASSWORD, 'T0SECRET', secret]) expect(said).not.toContain(hidden);
  });

  /** The receiver's check of the page, on the first request. */
  const isOurs = ({ requests: [first] }: HookServer, secret: string): unknown => {
    const names = ['createHmac', 'timingSafeEqual', 'Buffer', 'secret', 'timestamp', 'signature', 'body'];
    const { 'x-archiver-timestamp': timestamp, 'x-archiver-signature': signature } = first?.headers ?? {};
    const check = new Function(...names, `${blocks('js')[0]}\nreturn isOurs;`); // oxlint-disable-line typescript/no-implied-eval -- the page's own words
    return check(createHmac, timingSafeEqual, Buffer, secret, timestamp, signature, first?.body);
  };

  it.skipIf(isAbsent)('a channel that is off gets nothing but its own test', async () => {
    const { slack, hook } = await configured();
    const [, off = '', on = ''] = /^(.*disable.*\n)([^]*)$/.exec(block('alerts disable slack')) ?? [];
    expect(await follow(`${off}archiver alerts test`)).toMatchObject({ status: 0 });
    expect([slack.requests.length, hook.requests.length]).toEqual([1, 2]);

    expect(await follow(on)).toMatchObject({ status: 0 });

    expect(slack.requests.map(({ body }) => /critical/i.test(body))).toEqual([false, true]);
    const { said } = await follow('archiver alerts config --json');
    expect(JSON.parse(said)).toMatchObject({ cooldownMs: 1000, lastAlerts: [] });
    expect(said).not.toContain('"isEnabled":false');
  });

  it.skipIf(isAbsent)('a budget that is nearly used raises one alert on every channel, and none before', async () => {
    const { smtp, slack, hook } = await configured();
    const ran = await follow(block('budget set genomes'));

    expect([ran.status, ran.said]).toEqual([0, expect.stringContaining('85')]);
    expect(told(hook).slice(1)).toEqual(['warning volume_threshold genomes']);
    expect([smtp.mails.length, slack.requests.length]).toEqual([2, 2]);
    expect(smtp.mails[1]?.text).toContain('genomes');
    expect(await metricsOf('ProjectID', 'genomes')).toEqual(['Alerts', 'VolumeUsagePercent']);

    // What does not fit is refused; the budget was told already.
    writeFileSync(at('srv/genomes/b.bin'), noise(1_700_001));
    expect(await follow(block('budget set genomes'))).toMatchObject({ status: 4 });
    expect(hook.requests).toHaveLength(2);
  });

  it.skipIf(isAbsent)('a writer that nobody hears of, a fleet out of sight and its return are told once', async () => {
    const { smtp, hook } = await configured();
    const monitor = () => follow(block('fleet monitor'));
    await client.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'lab/fleet/web-01/config.yaml', Body: 'version: 1\n' }),
    );
    await expect.poll(async () => [(await monitor()).status, told(hook).slice(1)]).toEqual([3, [STALE]]);
    expect(await monitor()).toMatchObject({ status: 3 });
    expect(smtp.mails.at(-1)?.text).toContain('web-01');
    expect(await metricsOf('WriterID', 'web-01')).toEqual(['Alerts']);

    proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    await expect.poll(async () => [(await monitor()).status, told(hook).slice(1)]).toEqual([1, [STALE, UNSEEN]]);
    await monitor();
    proxy.clear();
    await monitor();
    await monitor();
    expect(told(hook).slice(1)).toEqual([STALE, UNSEEN, 'info stale_writer -']);

    // Once the cooldown is short, the writer is told again.
    expect(await follow(block('--cooldown'))).toMatchObject({ status: 0 });
    const before = hook.requests.length;
    await expect.poll(async () => [(await monitor()).status, told(hook).slice(before)]).toEqual([3, [STALE]]);
  });
});

const STALE = 'critical stale_writer web-01';
const UNSEEN = 'critical stale_writer -';
