import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { startHook } from '../../support/hook-server.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { startSmtp } from '../../support/smtp-server.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const EMAIL = ['--smtp-host', '127.0.0.1', '--smtp-from', 'a@lab.example', '--recipients', 'pi@lab.example'];
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, ['alerts', ...argv]);
const typing = (answers: readonly string[], ...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder, answers }, ['alerts', ...argv]);
const saved = (): string => readFileSync(join(folder, 'home', 'alerts.json'), 'utf8');

describe('configure', () => {
  test('keeps what is not given, and the secrets where only the owner reads', async () => {
    writeFileSync(join(folder, 'password'), 'hunter22\n');
    await run('configure', 'email', ...EMAIL, '--smtp-username', 'lab', '--smtp-password-file', 'password');

    const { status } = await run(
      'configure',
      'email',
      '--recipients',
      'x@lab.example,y@lab.example',
      '--smtp-port',
      '465',
    );

    const shown = await run('config', '--json');
    expect([status, statSync(join(folder, 'home', 'alerts.json')).mode & 0o777]).toEqual([0, 0o600]);
    expect(json(saved())['email']).toMatchObject({
      smtpPassword: 'hunter22',
      recipients: ['x@lab.example', 'y@lab.example'],
    });
    expect(json(shown.stdout)['channels']).toContainEqual({
      channel: 'email',
      isConfigured: true,
      isEnabled: true,
      smtpHost: '127.0.0.1',
      smtpPort: 465,
      smtpUseTls: true,
      smtpUsername: 'lab',
      smtpFrom: 'a@lab.example',
      recipients: ['x@lab.example', 'y@lab.example'],
      hasSecret: true,
    });
  });

  test('takes secrets from flags, variables, files and the terminal, and shows none', async () => {
    const env = { ARCHIVER_WEBHOOK_URL: 'https://hooks.example/T0SECRET', ARCHIVER_WEBHOOK_SECRET: 'SECRETvariable' };
    const runs = [
      await runCommand({ root, folder, env }, ['alerts', 'configure', 'webhook', '--json']),
      await run('configure', 'email', ...EMAIL, '--smtp-username', 'lab', '--smtp-password', 'SECRETflag'),
      await typing(['https://hooks.example/services/SECRETtyped'], 'configure', 'slack'),
      await typing(['SECRETtoo'], 'configure', 'email', '--smtp-username', 'other'),
      await run('config'),
      await run('config', '--json'),
      await run('disable', 'slack', '--json'),
    ];

    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 0));
    expect(runs.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain('SECRET');
    expect(json(saved())).toMatchObject({
      email: { smtpUsername: 'other', smtpPassword: 'SECRETtoo' },
      slack: { webhookUrl: 'https://hooks.example/services/SECRETtyped', username: 'Archiver Monitor' },
      webhook: { webhookUrl: 'https://hooks.example/T0SECRET', webhookSecret: 'SECRETvariable' },
    });
  });

  test.each<[readonly string[], RegExp]>([
    [['email'], /email needs --recipients/],
    [['email', '--recipients', 'a@b'], /email needs --smtp-from/],
    [['email', '--recipients', 'a@b', '--smtp-from', 'a@b'], /email needs --smtp-host/],
    [['email', ...EMAIL, '--recipients', 'nobody'], /--recipients wants mail addresses/],
    [['email', '--smtp-host', 'x', '--smtp-from', 'x', '--recipients', 'a@b'], /--smtp-from wants mail addresses/],
    [['email', ...EMAIL, '--smtp-username', 'lab'], /--smtp-username needs a password/],
    [['email', ...EMAIL, '--smtp-port', '0'], /from 1 to 65535/],
    [['slack'], /slack needs --webhook-url/],
    [['webhook', '--webhook-url', 'ftp://SECRET'], /begin with https/],
    [['webhook', '--webhook-url', 'https://x', '--smtp-host', 'y'], /--smtp-host is not for webhook/],
    [['cloudwatch', '--webhook-url', 'https://x'], /--webhook-url is not for cloudwatch/],
    [['pigeon'], /email, slack, webhook, cloudwatch/],
    [[], /nothing is given to configure/],
  ])('%j is refused, and nothing is written', async (argv, message) => {
    const { status, stderr } = await run('configure', ...argv);

    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr).not.toContain('SECRET');
    expect(readdirSync(folder, { recursive: true })).not.toContain(join('home', 'alerts.json'));
  });

  test('Ctrl+C at the question ends it, an empty answer and an empty file are refused, and nothing is written', async () => {
    writeFileSync(join(folder, 'empty'), '\n');
    const ended = await typing(['SECRET\u0003'], 'configure', 'slack');
    const silent = await typing([''], 'configure', 'slack');
    const empty = await run('configure', 'slack', '--webhook-url-file', 'empty');
    const gone = await run('configure', 'slack', '--webhook-url-file', 'gone');

    expect([ended, silent, empty, gone].map(({ status }) => status)).toEqual([130, 2, 2, 1]);
    expect(ended.stderr).not.toContain('SECRET');
    expect(readdirSync(folder, { recursive: true })).not.toContain(join('home', 'alerts.json'));
  });

  test('--cooldown needs no channel', async () => {
    await run('configure', '--cooldown', '90m');

    expect(json((await run('config', '--json')).stdout)).toMatchObject({ cooldownMs: 5_400_000, lastAlerts: [] });
  });
});

describe('enable and disable', () => {
  test('turn a channel on and off; CloudWatch needs no configuration', async () => {
    await run('configure', 'webhook', '--webhook-url', 'https://x.example');

    const off = await run('disable', 'webhook');
    const tested = await run('test');
    const cloud = await run('enable', 'cloudwatch', '--json');

    expect([off.status, tested.status]).toEqual([0, 1]);
    expect(tested.stderr).toMatch(/no alert channel is on\n.*archiver alerts enable webhook\n/);
    expect(json(cloud.stdout)).toMatchObject({ channels: [{ isEnabled: true, namespace: 'Archiver/Budget' }] });
  });

  test('say how to configure what is not', async () => {
    const nothing = await run('enable', 'email');
    await run('enable', 'cloudwatch');
    const other = await run('enable', 'slack');

    expect([nothing.status, nothing.stderr]).toEqual([
      1,
      expect.stringMatching(/no alert configuration[^]*configure email/),
    ]);
    expect([other.status, other.stderr]).toEqual([
      1,
      expect.stringMatching(/slack is not configured[^]*configure slack/),
    ]);
  });
});

describe('test', () => {
  test('tells what became of it on every channel, and ends with 3 where some did not take it', async () => {
    const smtp = await startSmtp();
    const refusing = await startHook([{ status: 403, body: 'invalid_token' }]);
    await run('configure', 'email', ...EMAIL, '--smtp-port', String(smtp.port), '--no-smtp-use-tls');
    const good = await run('test', '--severity', 'critical', '--json');
    await run('configure', 'slack', '--webhook-url', `${refusing.url}/SECRET`);

    const some = await run('test');
    const only = await run('test', '--channel', 'slack', '--json');

    expect([good.status, some.status, only.status]).toEqual([0, 3, 1]);
    expect(json(good.stdout)).toMatchObject({
      alerts: [{ severity: 'critical', isTest: true, project: 'sample-project' }],
      outcomes: [{ channel: 'email', delivery: 'sent', reason: null }],
    });
    expect(some.stdout).toMatch(/^email +✓ sent\nslack +✗ failed: 127.0.0.1:\d+ answered 403: invalid_token\n$/);
    expect(smtp.mails).toHaveLength(2);
    expect(only.stdout).not.toContain('SECRET');
  });

  test('neither counts the cooldown nor begins it', async () => {
    const hook = await startHook();
    await run('configure', 'webhook', '--webhook-url', hook.url);

    const { stdout } = await run('config', '--json');

    expect([(await run('test')).status, (await run('test')).status, hook.requests.length]).toEqual([0, 0, 2]);
    expect(json(stdout)['lastAlerts']).toEqual([]);
  });

  test('goes to one channel that is off, and not to one that is not configured', async () => {
    const hook = await startHook();
    await run('configure', 'webhook', '--webhook-url', hook.url);
    await run('disable', 'webhook');

    expect((await run('test', '--channel', 'webhook')).status).toBe(0);
    expect(await run('test', '--channel', 'email')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/email is not configured/),
    });
  });
});
