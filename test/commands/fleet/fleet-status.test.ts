import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { heartbeatBytes } from '../../../src/core/fleet/heartbeat.js';
import { recordKey } from '../../../src/core/dataset/records/version-record.js';
import { checkIn, putAt, putConfig, putRecord } from '../../support/fleet.js';
import { heartbeat, heartbeatSource } from '../../support/heartbeat.js';
import { startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

useTestCredentials();
const root = program();
let folder = '';
let base = '';
let time = '2026-03-04T06:00:00Z';

beforeEach(async () => {
  folder = await tempFolder();
  base = join(folder, 'store');
  time = '2026-03-04T06:00:00Z';
});

interface Host {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const status = (argv: readonly string[] = [], host: Host = {}): Promise<CommandRun> =>
  runCommand({ root, folder, now: () => new Date(time), ...host }, ['fleet', 'status', `file://${base}`, ...argv]);

interface Shown {
  readonly writerId: string;
  readonly condition: string;
  readonly troubles: readonly string[];
}

async function shown(): Promise<Record<string, unknown> & { readonly writers: readonly Shown[] }> {
  const run = await status(['--json']);
  expect(run).toMatchObject({ status: 0, stderr: '' });
  return json(run.stdout) as never;
}

const conditions = ({ writers }: { readonly writers: readonly Shown[] }): Readonly<Record<string, string>> =>
  Object.fromEntries(writers.map(({ writerId, condition }) => [writerId, condition]));

test('each writer has its row, those in trouble first, in 80 columns', async () => {
  await checkIn(base, 'web-01', {
    sources: [heartbeatSource(), heartbeatSource({ path: '/srv/logs', noChanges: true })],
  });
  await checkIn(base, 'db-01', { sources: [heartbeatSource({ isHealthy: false, error: 'permission denied' })] });
  const early = { startedAt: '2026-03-04T01:59:00Z', endedAt: '2026-03-04T02:00:00Z', isHealthy: true };
  await checkIn(base, 'laptop-of-somebody-with-a-very-long-name', {
    checkedInAt: '2026-03-04T02:00:00Z',
    lastSuccessAt: '2026-03-04T02:00:00Z',
    cycle: early,
  });
  await putConfig(base, 'new-01', 1, '2026-03-04T05:00:00Z');
  await putAt(base, 'writers/manual/uploads/x', 'x', '2026-03-04T05:00:00Z');

  const run = await status([], { columns: 80 });

  expect(run).toMatchObject({ status: 0, stderr: '' });
  const text = run.stdout.replace(base, '/mnt/backup');
  const table = text.slice(0, text.indexOf('4 writers'));
  expect(table.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).toMatchInlineSnapshot(`
    "WRITER              STATE       SEEN  SUCCESS  SOURCE     STORED  FILES     SIZE
    new-01              ▲ missing  never    never  -               -      -        -
    laptop…y-long-name  ▲ stale    4h 0m    4h 0m  /srv/data   4h 0m    100  977 KiB
    db-01               ✗ failing  1h 0m    1h 0m  /srv/data   1h 0m    100  977 KiB
    web-01              ● healthy  1h 0m    1h 0m  /srv/data   1h 0m    100  977 KiB
                                                   /srv/logs   1h 0m    100  977 KiB
    no room for SKIPPED, CONFIG, CHANGES: widen the terminal, or --json
    4 writers: 1 healthy, 1 failing, 1 stale, 1 missing in
      file:///mnt/backup
      ▲ missing  new-01: it has never checked in: its config was put 1h ago
      ▲ stale    laptop-of-somebody-with-a-very-long-name: it checked in 4h ago,
        and 2h are allowed
      ✗ failing  db-01: source /srv/data failed: permission denied
      config    0 of 1 writers run the one that lies there; 3 on v3
      left out  1 writer without a heartbeat or a config
    "
  `);
});

test('the first hundred of many have a row, and all of them with --verbose', async () => {
  const ids = Array.from({ length: 101 }, (_, at) => `w${at}`);
  await Promise.all(ids.map((id) => putConfig(base, id, 1, '2026-03-04T05:00:00Z')));
  const rows = ({ stdout }: CommandRun): number => (stdout.match(/^w\d/gm) ?? []).length;

  const [short, long] = [await status(), await status(['--verbose'])];

  expect([rows(short), rows(long)]).toEqual([100, 101]);
  expect(short.stdout).toContain('and 1 more; --verbose shows them\n101 writers: 101 missing');
});

describe('what cannot be believed is unknown, and the others are shown', () => {
  test.each([
    ['larger than 1 MiB', Buffer.alloc(1024 * 1024 + 1, 0x20), /at most 1048576 are accepted/],
    ['cut off', heartbeatBytes(heartbeat('odd')).subarray(0, 300), /not valid JSON/],
    ['empty', Buffer.alloc(0), /not valid JSON/],
    ['of another format', JSON.stringify({ ...heartbeat('odd'), formatVersion: 9 }), /format 9/],
    [
      'with a number of 300 digits',
      JSON.stringify(heartbeat('odd')).replace('3600', '9'.repeat(300)),
      /intervalSeconds/,
    ],
    ['of another writer', heartbeatBytes(heartbeat('web-01')), /that of writer web-01/],
    ['dated 2106', heartbeatBytes(heartbeat('odd', { checkedInAt: '2106-02-07T06:28:15Z' })), /ahead of the store/],
  ])('%s', async (_, bytes, reason) => {
    await checkIn(base, 'web-01');
    await putAt(base, 'writers/odd/status.json', bytes, '2026-03-04T05:59:00Z');

    const found = await shown();

    expect(conditions(found)).toEqual({ odd: 'unknown', 'web-01': 'healthy' });
    expect(found.writers[0]?.troubles.join()).toMatch(reason);
    expect(found['troubledCount']).toBe(1);
  });
});

test('a clone shows when an instance comes back, a restart does not', async () => {
  const seen: unknown[] = [];
  for (const instanceId of ['one', 'two', 'two', 'one']) {
    await checkIn(base, 'web-01', { instanceId });
    seen.push((await shown()).writers[0]);
  }
  time = '2026-03-05T07:00:00Z';
  await checkIn(base, 'web-01', { instanceId: 'one', checkedInAt: '2026-03-05T06:30:00Z' });
  seen.push((await shown()).writers[0]);

  expect(seen.map((one) => (one as { isCloned: boolean }).isCloned)).toEqual([false, false, false, true, false]);
});

test('a clone of an agent that is started for each cycle shows when a host comes back, a move does not', async () => {
  const seen: unknown[] = [];
  for (const [index, host] of ['a', 'a', 'b', 'b', 'a'].entries()) {
    await checkIn(base, 'web-01', { instanceId: `process ${index}`, host });
    seen.push((await shown()).writers[0]);
  }

  expect(seen.map((one) => (one as { isCloned: boolean }).isCloned)).toEqual([false, false, false, false, true]);
});

test('a config that is newer than the one in use is told, and read once', async () => {
  await checkIn(base, 'web-01', { configVersion: 3 });
  await putConfig(base, 'web-01', 4, '2026-03-04T04:00:00Z');

  const [first, second] = [await shown(), await shown()];

  expect(first.writers[0]).toMatchObject({
    isConfigBehind: true,
    storedConfigVersion: 4,
    configVersion: 3,
    condition: 'healthy',
  });
  expect(second.writers).toEqual(first.writers);
  expect([first['requests'], second['requests']]).toMatchObject([
    { get: 2, list: 3 },
    { get: 1, list: 3 },
  ]);
});

test('who runs which config is told, for those that have one', async () => {
  await checkIn(base, 'web-01', { configVersion: 4 });
  await checkIn(base, 'web-02', { configVersion: 3 });
  await checkIn(base, 'by-hand', { configVersion: null });
  for (const id of ['web-01', 'web-02', 'new-01']) await putConfig(base, id, 4, '2026-03-04T04:59:30Z');

  expect((await status()).stdout).toContain(
    '  config    1 of 3 writers run the one that lies there; 1 on v4, 1 on v3\n',
  );
  expect((await shown())['rollout']).toEqual({
    configuredCount: 3,
    currentCount: 1,
    configVersions: [
      { configVersion: 4, writerCount: 1 },
      { configVersion: 3, writerCount: 1 },
    ],
  });
});

test('the schedule is that of the config, which is read once', async () => {
  await checkIn(base, 'web-01', { configVersion: 4 });
  const config = 'version: 4\nscan_interval: 7d\n';
  await putAt(base, 'fleet/web-01/config.yaml', config, '2026-03-04T04:00:00Z');
  time = '2026-03-11T10:59:00Z';
  const [first, second] = [await shown(), await shown()];
  time = '2026-03-11T11:01:00Z';
  const third = await shown();

  expect([first, second, third].map(conditions)).toEqual([
    { 'web-01': 'healthy' },
    { 'web-01': 'healthy' },
    { 'web-01': 'stale' },
  ]);
  expect(first.writers[0]).toMatchObject({ cadenceFrom: 'config', cadenceMs: 604_800_000, staleAfterMs: 626_400_000 });
  expect([first['requests'], second['requests']]).toMatchObject([{ get: 2 }, { get: 1 }]);
});

test('a heartbeat that speaks of a version which is not there is believed in nothing', async () => {
  await checkIn(base, 'web-01');
  await checkIn(base, 'forger', { sources: [heartbeatSource({ version: 12 })] });
  rmSync(join(base, 'writers/forger/datasets'), { recursive: true });
  await putRecord(base, 'forger', { datasetId: 'data-1a2b3c4d', version: 3 }, '2026-03-01T05:00:00Z');

  const found = await shown();

  expect(conditions(found)).toEqual({ forger: 'unknown', 'web-01': 'healthy' });
  expect(found.writers[0]).toMatchObject({
    troubles: [
      'its heartbeat says more than the store shows: source /srv/data is v12 of data-1a2b3c4d, and the newest there is v3, of 3d 1h ago',
    ],
    storedAt: '2026-03-01T05:00:00.000Z',
    sourceCycles: [{ version: 12, storedVersion: 3, storedAt: '2026-03-01T05:00:00.000Z' }],
  });
});

test('what a config sends to another store is not looked at, and said', async () => {
  await checkIn(base, 'web-01', { configVersion: 4 });
  rmSync(join(base, 'writers/web-01/datasets'), { recursive: true });
  await putAt(base, 'fleet/web-01/config.yaml', 'version: 4\nstore: s3://other/lab\n', '2026-03-04T04:00:00Z');

  const run = await status(['--json']);

  expect(run.stderr).toContain(
    'what web-01 stored is not looked at: another store than that of the fleet is in the config',
  );
  expect(json(run.stdout)['writers']).toMatchObject([{ condition: 'healthy', storedElsewhere: 's3://other/lab' }]);
});

test('memory that is damaged, or cannot be kept, is done without', async () => {
  await checkIn(base, 'web-01');
  await status();
  const kept = join(folder, 'home', 'fleet');
  const [file = ''] = readdirSync(kept);
  writeFileSync(join(kept, file), '{');
  expect(await status()).toMatchObject({ status: 0, stderr: '' });

  writeFileSync(join(folder, 'no-folder'), '');
  const run = await status([], { env: { ARCHIVER_HOME: join(folder, 'no-folder') } });
  expect(run.status).toBe(0);
  expect(run.stderr).toMatch(/not remembered, so clones go unnoticed/);
});

test.each([
  ['/writers/web-01', /lies below the base of the fleet/],
  ['/writers', /lies below the base of the fleet/],
  ['/uploads/20251114-093012-1a2b3c4d', /is an upload/],
])('%s is refused', async (below, message) => {
  const run = await runCommand({ root, folder }, ['fleet', 'status', `file://${base}${below}`]);

  expect([run.status, run.stderr]).toEqual([2, expect.stringMatching(message)]);
});

test.each(['fleet', 'fleet/lab', 'lab/fleet'])('a base may be called %s', async (name) => {
  base = join(folder, name);
  await checkIn(base, 'web-01');

  expect((await status()).status).toBe(0);
});

test('a place without a fleet, and a folder that is not there, are failures', async () => {
  expect(await status()).toMatchObject({ status: 1, stderr: expect.stringMatching(/there is no folder/) });
  mkdirSync(base);
  expect(await status()).toMatchObject({ status: 1, stderr: expect.stringMatching(/there is no fleet/) });
});

test('metrics go to a file that others may read', async () => {
  await checkIn(base, 'web-01');

  expect((await status(['--textfile', 'fleet.prom'])).status).toBe(0);

  expect(statSync(join(folder, 'fleet.prom')).mode & 0o777).toBe(0o644);
  expect(readFileSync(join(folder, 'fleet.prom'), 'utf8')).toContain(
    `archiver_writer_healthy{fleet="file://${base}",writer="web-01"} 1\n`,
  );
});

describe('in a bucket', () => {
  test('a heartbeat is one request, and what never checked in none', async () => {
    const s3 = await startMemoryS3('lab');
    try {
      const objects = s3.buckets.get('lab');
      const put = (key: string, body: Buffer, hoursAgo: number): void => {
        const modified = new Date(Date.now() - hoursAgo * 3_600_000);
        objects?.set(`base/${key}`, { body, etag: key, modified, headers: {} });
      };
      for (let at = 0; at <= 1000; at++) put(`fleet/w${at}/config.yaml`, Buffer.from('version: 3\n'), 9);
      for (let at = 0; at < 20; at++) {
        const hoursAgo = at % 10 === 9 ? 3 : 0.5;
        const checkedInAt = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
        put(
          `writers/w${at}/status.json`,
          heartbeatBytes(
            heartbeat(`w${at}`, {
              checkedInAt,
              configVersion: null,
              sources: [heartbeatSource({ lastSuccessAt: checkedInAt })],
            }),
          ),
          hoursAgo,
        );
        const record = recordKey({ datasetId: 'data-1a2b3c4d', version: 7 });
        put(`writers/w${at}/${record}`, Buffer.from('{}'), hoursAgo);
        put(`writers/w${at}/uploads/x`, Buffer.from('x'), hoursAgo);
      }
      const argv = [
        'fleet',
        'status',
        's3://lab/base',
        '--endpoint-url',
        s3.endpoint,
        '--region',
        'us-east-1',
        '--json',
      ];

      const run = await runCommand({ root, folder }, argv);

      expect(run).toMatchObject({ status: 0, stderr: '' });
      const found = json(run.stdout);
      expect(found).toMatchObject({ writerCount: 1001, requests: { get: 20, put: 0, head: 0, delete: 0 } });
      expect(found['writerConditions']).toContainEqual({ condition: 'stale', writerCount: 2 });
      expect(found['writerConditions']).toContainEqual({ condition: 'missing', writerCount: 981 });
      // What time it is, one page of writers/, two of fleet/, and the records of each writer that checks in.
      expect(s3.requests.map(({ operation }) => operation).filter((name) => name !== 'GetObject')).toEqual(
        Array.from({ length: 4 + 20 }, () => 'ListObjectsV2'),
      );
    } finally {
      await s3.close();
    }
  });
});
