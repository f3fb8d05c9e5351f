// What the unit of a bundle starts, with its variables: a signed config says how often, the settings of the machine say whom to tell.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { signConfig } from '../../../../src/core/fleet/config/signature.js';
import { parseHeartbeat } from '../../../../src/core/fleet/heartbeat.js';
import { type HookServer, startHook } from '../../../support/hook-server.js';
import { runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { TEST_CERTIFICATE } from '../../../support/test-certificate.js';

/** Starts what the unit does, with a folder for a store, until a cycle has ended and `isTold`. */
async function startUnit({
  more = '',
  settings = '',
  env: extra = {},
  isTold,
}: {
  readonly more?: string;
  readonly settings?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What is polled until it is true. */
  readonly isTold: () => boolean;
}) {
  const home = realpathSync(await tempFolder());
  const host = { root: program(), folder: home };
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(home, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  const init = ['fleetagent', 'init', 's3://acme/lab', '--writer-id', 'nas', '--public-key', 'key.pub'];
  expect((await runCommand(host, init)).status).toBe(0);
  const bundle = join(home, 'nas');

  // The machine: what the README installs, and a store that is a folder.
  const base = join(home, 'store');
  const source = join(home, 'data');
  mkdirSync(source);
  writeFileSync(join(source, 'a'), 'content');
  mkdirSync(join(base, 'fleet/nas'), { recursive: true });
  const config = `version: 1\nwriter_id: nas\nscan_interval: 6h\n${more}watch_paths:\n  - path: ${source}\n`;
  writeFileSync(join(base, 'fleet/nas/config.yaml'), config);
  writeFileSync(join(base, 'fleet/nas/config.yaml.sig'), signConfig(Buffer.from(config), privateKey).bytes);
  if (settings !== '') writeFileSync(join(bundle, 'archiver.yaml'), settings.replaceAll('HOME', home));
  const unit = readFileSync(join(bundle, 'archiver-nas.service'), 'utf8')
    .replaceAll('/etc/archiver/nas', bundle)
    .replaceAll('%S/archiver-nas', join(home, 'state'))
    .replaceAll('s3://acme/lab', `file://${base}`)
    .replace(' --region us-west-2', '');
  const env = Object.fromEntries(
    [...unit.matchAll(/^Environment=(ARCHIVER_\w+)=(.*)$/gm)].map((found) => found.slice(1)),
  );
  const [, words = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];

  const end = new AbortController();
  const running = runCommand({ ...host, env: { ...env, ...extra }, signal: end.signal }, words.split(' '));
  const statusText = () => readFileSync(join(base, 'writers/nas/status.json'), 'utf8');
  await expect.poll(isTold, { timeout: 90_000 }).toBe(true);
  await expect.poll(() => parseHeartbeat(Buffer.from(statusText())).phase, { timeout: 90_000 }).toBe('waiting');
  end.abort();
  const ran = await running;
  return { ...ran, home, statusText: statusText(), heartbeat: parseHeartbeat(Buffer.from(statusText())) };
}

test('runs as often as the signed config says, with the hooks and pings of its machine', async () => {
  const server = await startHook();
  const settings = [
    'hooks:',
    '  after: ["/bin/sh", "-c", "echo $ARCHIVER_HOOK_STATUS > HOME/after"]',
    `fleetagent:\n  run:\n    pingUrl: ${server.url}/uuid\n`,
  ].join('\n');
  const more = 'ping_url: https://127.0.0.1:1/of-the-config\n';
  const ran = await startUnit({ more, settings, isTold: () => hasTold(server, ['/uuid/start', '/uuid']) });

  expect([ran.status, ran.stderr]).toEqual([0, expect.not.stringContaining('ping')]);
  expect(ran.heartbeat).toMatchObject({ intervalSeconds: 6 * 3600, configVersion: 1, sources: [{ isHealthy: true }] });
  expect(readFileSync(join(ran.home, 'after'), 'utf8')).toBe('done\n');
});

test('pings where the signed config says, with the id of the writer, and never tells the address', async () => {
  const server = await startHook(undefined, { isTls: true });
  const folder = await tempFolder();
  writeFileSync(join(folder, 'ca.pem'), TEST_CERTIFICATE);
  const ran = await startUnit({
    more: `ping_url: ${server.url}/s3cr3t/{writer_id}\n`,
    env: { AWS_CA_BUNDLE: join(folder, 'ca.pem') },
    isTold: () => hasTold(server, ['/s3cr3t/nas/start', '/s3cr3t/nas']),
  });

  expect(ran.status).toBe(0);
  expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({
    command: 'fleetagent run',
    status: 'done',
    store: expect.stringContaining('/writers/nas') as string,
  });
  for (const text of [ran.stdout, ran.stderr, ran.statusText]) expect(text).not.toContain('s3cr3t');
});

test('a ping of the signed config that does not arrive is told without its address, and fails nothing', async () => {
  const server = await startHook([{ status: 404 }], { isTls: true });
  const folder = await tempFolder();
  writeFileSync(join(folder, 'ca.pem'), TEST_CERTIFICATE);
  const ran = await startUnit({
    more: `ping_url: ${server.url}/s3cr3t/{writer_id}\n`,
    env: { AWS_CA_BUNDLE: join(folder, 'ca.pem') },
    isTold: () => hasTold(server, ['/s3cr3t/nas/start', '/s3cr3t/nas']),
  });

  expect(ran.heartbeat).toMatchObject({ cycle: { isHealthy: true }, problem: null });
  expect(ran.stderr).toMatch(/the ping of 127\.0\.0\.1:\d+ did not arrive/);
  for (const text of [ran.stdout, ran.stderr, ran.statusText]) expect(text).not.toContain('s3cr3t');
});

const hasTold = ({ requests }: HookServer, wanted: readonly string[]): boolean =>
  requests.map(({ path }) => path).join(' ') === wanted.join(' ');
