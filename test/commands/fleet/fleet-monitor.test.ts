import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import type { Alert } from '../../../src/core/notify/alerts/alert.js';
import { checkIn, putAt, putConfig } from '../../support/fleet.js';
import { heartbeat, heartbeatSource } from '../../support/heartbeat.js';
import { type HookServer, startHook } from '../../support/hook-server.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { runUse } from '../../support/budget.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
let folder = '';
let base = '';
let time = '';

beforeEach(async () => {
  folder = await tempFolder();
  base = join(folder, 'store');
  time = '2026-03-04T06:00:00Z';
});

const run = (argv: readonly string[], signal?: AbortSignal): Promise<CommandRun> =>
  runCommand({ root, folder, now: () => new Date(time), ...(signal && { signal }) }, argv);
const once = (...argv: string[]): Promise<CommandRun> => run(['fleet', 'monitor', `file://${base}`, '--once', ...argv]);
const alertsTo = async (hook: HookServer): Promise<void> =>
  void (await run(['alerts', 'configure', 'webhook', '--webhook-url', hook.url]));
const sent = ({ requests }: HookServer): readonly (readonly Alert[])[] =>
  requests.map(({ body }) => (JSON.parse(body) as { readonly alerts: readonly Alert[] }).alerts);
const about = (alerts: readonly Alert[] = []): readonly string[] =>
  alerts.map(({ severity, type, writerId, project }) => [severity, type, writerId ?? project ?? 'fleet'].join(' '));

/** Checked in, and began its last cycle, at this hour. */
const hour = (text: string) => ({
  checkedInAt: `2026-03-04T${text}:00Z`,
  lastSuccessAt: `2026-03-04T${text}:00Z`,
  cycle: { startedAt: `2026-03-04T${text}:00Z`, endedAt: `2026-03-04T${text}:00Z`, isHealthy: true },
});

describe('--once', () => {
  test('0 and silent with --quiet where all are well; 3 and told where one is not; 1 where nothing can be seen', async () => {
    await checkIn(base, 'web-01');
    expect(await once('--quiet')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect((await once()).stdout).toMatch(/^2026-03-04 .* 1 writer: 1 healthy\n$/);

    await checkIn(base, 'web-02', hour('02:00'));
    const troubled = await once('--quiet');
    expect(troubled).toMatchObject({ status: 3, stderr: '' });
    expect(troubled.stdout).toContain('2 writers: 1 healthy, 1 stale\n  ▲ stale    web-02: it checked in 4h ago');

    rmSync(base, { recursive: true });
    const blind = await once('--quiet');
    expect(blind).toMatchObject({ status: 1, stdout: '' });
    expect(blind.stderr).toMatch(/there is no folder/);
  });

  test('--json has one pass, with the writers that somebody has to look at', async () => {
    await checkIn(base, 'web-01');
    await checkIn(base, 'web-02', hour('02:00'));

    const { stdout, status } = await once('--json');

    expect([status, json(stdout)]).toMatchObject([
      3,
      {
        passes: [
          { isSeen: true, writerCount: 2, troubledWriters: [{ writerId: 'web-02' }], alerts: [], unsentCount: 1 },
        ],
      },
    ]);
  });
});

describe('alerts', () => {
  test('one message for all writers that nobody hears of, each once within the cooldown', async () => {
    const hook = await startHook();
    await alertsTo(hook);
    await checkIn(base, 'fine');
    await checkIn(base, 'gone', hour('02:00'));
    await putAt(base, 'writers/odd/status.json', '{', '2026-03-04T05:00:00Z');
    await putConfig(base, 'expected', 1, '2026-03-04T03:00:00Z');
    await putConfig(base, 'new', 1, '2026-03-04T05:00:00Z');
    await checkIn(base, 'broken', {
      lastSuccessAt: '2026-03-04T03:00:00Z',
      sources: [heartbeatSource({ isHealthy: false, error: 'no space is left' })],
    });
    await checkIn(base, 'hiccup', { sources: [heartbeatSource({ isHealthy: false })] });

    const first = await once();
    time = '2026-03-04T06:15:00Z';
    await once();
    await checkIn(base, 'later', hour('03:00'));
    await once();

    expect(first).toMatchObject({ status: 3, stderr: '', stdout: expect.stringMatching(/\n  4 alerts sent\n$/) });
    const [one, two, ...more] = sent(hook);
    expect(about(one)).toEqual([
      'critical stale_writer expected',
      'critical stale_writer gone',
      'warning stale_writer odd',
      'warning stale_writer broken',
    ]);
    expect(one?.[1]).toMatchObject({
      location: `file://${base}`,
      description:
        'writer gone: it checked in 4h ago, and 2h are allowed; its last success was at 2026-03-04T02:00:00.000Z',
    });
    expect([about(two), more]).toEqual([['critical stale_writer later'], []]);
  });

  test('two fleets may have writers of the same id', async () => {
    const hook = await startHook();
    await alertsTo(hook);
    for (const fleet of ['store', 'other']) {
      base = join(folder, fleet);
      await checkIn(base, 'web-01', hour('02:00'));
      await once();
      await once();
    }

    expect(sent(hook).map(about)).toEqual([['critical stale_writer web-01'], ['critical stale_writer web-01']]);
  });

  test('a storm of 1,000 stale writers is one message, and none the next time', async () => {
    const hook = await startHook();
    await alertsTo(hook);
    await Promise.all(Array.from({ length: 1000 }, (_, at) => putConfig(base, `w${at}`, 1, '2026-03-04T01:00:00Z')));

    const { stdout } = await once();
    await once();

    expect(sent(hook).map(({ length }) => length)).toEqual([1000]);
    expect(stdout.split('\n').length).toBeLessThan(20);
  });

  test('budgets are evaluated, those of projects and that of all', async () => {
    const hook = await startHook();
    await alertsTo(hook);
    await checkIn(base, 'web-01');
    await run(['budget', 'set', 'genomes', '--volume', '1']);
    await run(['budget', 'set', '--global', '--volume', '1']);
    const { changeBook } = await import('../../../src/core/money/budget/book-store.js');
    const { withUse } = await import('../../../src/core/money/budget/budget.js');
    const { fileStore } = await import('../../../src/core/store/file/file-store.js');
    const used = runUse(new Date(time), { costUsd: 0, bytes: 2e9 });
    await changeBook(
      fileStore(join(folder, 'home'), {}),
      (book) => withUse(book, 'genomes', used),
      new AbortController().signal,
    );

    expect((await once()).status).toBe(0);

    expect(sent(hook).map(about)).toEqual([['critical volume_over_quota fleet', 'critical volume_over_quota genomes']]);
  });

  test('a channel that fails is told without its secret, and the fleet is told all the same', async () => {
    const hook = await startHook([{ status: 403, body: 'no' }]);
    await run(['alerts', 'configure', 'webhook', '--webhook-url', `${hook.url}/SECRET`]);
    await checkIn(base, 'gone', hour('02:00'));

    const { status, stdout, stderr } = await once();

    expect([status, stdout]).toEqual([3, expect.stringContaining('1 stale')]);
    expect(stdout).toContain('  1 alert not sent; see archiver alerts config');
    expect(stderr).toMatch(/alert by webhook failed: .* answered 403/);
    expect(stdout + stderr).not.toContain('SECRET');
  });
});

describe('a fleet out of sight', () => {
  test('is alerted once, when that lasts longer than the threshold, and its metrics say so', async () => {
    const hook = await startHook();
    await alertsTo(hook);
    await checkIn(base, 'web-01');
    await once('--textfile', 'fleet.prom');
    rmSync(base, { recursive: true });
    const minutes = ['06:15', '08:00', '08:16', '08:30'];
    for (const minute of minutes) {
      time = `2026-03-04T${minute}:00Z`;
      expect((await once('--textfile', 'fleet.prom')).status).toBe(1);
    }

    expect(sent(hook).map(about)).toEqual([['critical stale_writer fleet']]);
    expect(sent(hook)[0]?.[0]?.description).toMatch(
      /^nothing has been seen of the fleet at .* for 2h 1m: there is no folder/,
    );
    expect(readFileSync(join(folder, 'fleet.prom'), 'utf8')).toMatch(/^archiver_fleet_up\{.*\} 0$/m);

    // Seen again, the next time begins anew.
    await checkIn(base, 'web-01', hour('08:30'));
    time = '2026-03-04T09:00:00Z';
    const back = await once();
    expect([back.status, back.stdout]).toEqual([
      0,
      expect.stringContaining('seen again after 2h 45m: 1 writer: 1 healthy'),
    ]);
    expect(sent(hook)[1]?.map(({ description }) => description)).toEqual([
      `the fleet at file://${base} is seen again, after 2h 45m`,
    ]);
    expect((await once()).stdout).not.toContain('seen again');
    rmSync(base, { recursive: true });
    time = '2026-03-06T09:00:00Z';
    await once();
    expect(sent(hook)).toHaveLength(2);
  });
});

describe('without --once', () => {
  test.each([
    ['', []],
    ['with --quiet nothing else is said, and ', ['--quiet']],
  ])('%spasses go on through an outage, which is said once, until it is told to stop', async (_, more) => {
    await checkIn(base, 'gone', hour('02:00'));
    const end = new AbortController();
    let looks = 0;
    const now = (): Date => {
      // A clock that runs a minute each time it is asked: passes follow each other at once.
      looks += 1;
      if (looks === 60) renameSync(base, `${base}.away`);
      if (looks === 120) renameSync(`${base}.away`, base);
      if (looks > 180) end.abort();
      return new Date(Date.parse(time) + looks * 60_000);
    };
    const argv = ['fleet', 'monitor', `file://${base}`, '--interval', '1s', '--threshold', '90d', ...more];
    writeFileSync(join(folder, 'file'), '');
    const noFolder = ['--textfile', join(folder, 'file/fleet.prom')];

    const { status, stdout, stderr } = await runCommand({ root, folder, now, signal: end.signal }, [
      ...argv,
      ...noFolder,
    ]);

    expect([status, stderr.match(/metrics are not written/g)?.length]).toEqual([0, 1]);
    const told = stdout
      .split('\n')
      .flatMap((line) => /cannot be seen|seen again after .* healthy/.exec(line)?.[0] ?? []);
    expect(told).toEqual(['cannot be seen', expect.stringMatching(/^seen again after [\dhm ]+: 1 writer: 1 healthy$/)]);
    expect(stdout.trim().split('\n').length === 2).toBe(more.length > 0);
  });

  test('--json is one document, whole when it ends', async () => {
    await checkIn(base, 'gone', hour('02:00'));
    const end = new AbortController();
    const hook = await startHook([{ status: 200 }], { onRequest: () => end.abort() });
    await alertsTo(hook);

    const { status, stdout } = await run(['fleet', 'monitor', `file://${base}`, '--json'], end.signal);

    expect([status, json(stdout)]).toMatchObject([
      0,
      { location: `file://${base}`, passes: [{ isSeen: true, writerCount: 1 }] },
    ]);
  });
});

test('metrics that cannot be written are told', async () => {
  await checkIn(base, 'web-01', heartbeat('web-01'));
  writeFileSync(join(folder, 'file'), '');

  const { stderr, stdout } = await once('--textfile', 'file/fleet.prom');

  expect(stderr).toMatch(/the metrics are not written: /);
  expect(stdout).toContain('1 healthy');
});
