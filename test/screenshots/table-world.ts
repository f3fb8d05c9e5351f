// A computer whose tables are hard to draw: amounts from a millionth of a dollar to millions, prices that nobody knows, long and wide names.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordKey } from '../../src/core/dataset/records/version-record.js';
import { type Heartbeat, heartbeatBytes, heartbeatKey } from '../../src/core/fleet/heartbeat.js';
import { changeBook } from '../../src/core/money/budget/book-store.js';
import { openBook } from '../../src/core/money/budget/open-book.js';
import { appendRecords, ledgerFolder } from '../../src/core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../src/core/money/ledger/record.js';
import { appendHistory } from '../../src/core/money/ledger/upload-history.js';
import { emptyBudget } from '../support/budget.js';
import { heartbeat, heartbeatSource } from '../support/heartbeat.js';
import { ledgerRecord } from '../support/ledger-record.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { storedUploads } from '../support/stored-uploads.js';
import type { World } from './scene.js';

/** Where the clock of the program stands (clock.mjs). */
const NOW = new Date('2025-11-14T12:04:31Z');
const DAY_MS = 86_400_000;
const GIB = 2 ** 30;
const LONG = 'a-project-with-quite-a-long-name-of-the-second-floor';
const WIDE = 'Größenänderung-項目-データ-αβγ';

const daysAgo = (days: number, hours = 0): string =>
  new Date(NOW.getTime() - days * DAY_MS - hours * 3_600_000).toISOString();

const stores = {
  main: { store: 's3://acme-archive/lab', region: 'us-west-2' },
  other: {
    store: 's3://a-bucket-of-another-department-with-a-long-name/and/a/long/prefix',
    region: 'ap-southeast-2',
  },
  ceph: {
    store: 's3://ceph-gateway/lab',
    region: null,
    provider: 'other',
    costMicros: null,
    monthlyMicros: null,
    pricesOf: '2025-10-31',
  },
} as const;

/** An upload of so many bytes, with what storing them costs a month. */
function uploaded(
  days: number,
  project: string | null,
  { bytes, costMicros, monthlyMicros }: { bytes: number; costMicros: number; monthlyMicros: number },
  own: Partial<LedgerRecord> = {},
): LedgerRecord {
  const objects = Math.max(1, Math.ceil(bytes / (64 * 2 ** 20)));
  const day = daysAgo(days).slice(0, 10).replaceAll('-', '');
  const id = `${day}-120000-${objects.toString(16).padStart(8, '0')}`;
  const stored = { storageClass: 'STANDARD', objects, bytes, billedBytes: bytes };
  const known = own.costMicros === null ? null : costMicros;
  return ledgerRecord({
    id: `${days.toString(16).padStart(4, '0')}${objects.toString(16).padStart(12, '0')}`,
    time: daysAgo(days),
    project,
    uploadId: id,
    datasetId: 'run-04xx',
    files: objects * 7,
    bytes,
    used: [{ kind: 'put', storageClass: 'STANDARD', quantity: objects }],
    stored: [stored],
    lines: [{ item: 'requests', storageClass: 'STANDARD', quantity: objects, costMicros: known }],
    costMicros,
    monthlyMicros,
    pricesOf: '2025-10-31',
    ...stores.main,
    ...own,
  });
}

function records(): readonly LedgerRecord[] {
  const daily = Array.from({ length: 30 }, (_, at) =>
    uploaded(30 - at, at % 3 === 0 ? WIDE : LONG, {
      bytes: (40 + 7 * (at % 5)) * GIB,
      costMicros: 3400 + 91 * at,
      monthlyMicros: 920_000 + 161_000 * (at % 5),
    }),
  );
  const huge = { bytes: 8_000_000 * GIB, costMicros: 4_096_000_000, monthlyMicros: 1_234_567_891_234 };
  const restored = ledgerRecord({
    id: 'feed000000000001',
    time: daysAgo(2),
    operation: 'restore',
    project: LONG,
    uploadId: null,
    pricesOf: '2025-10-31',
    used: [{ kind: 'retrieval', storageClass: 'GLACIER', quantity: 900 * GIB, way: 'standard' }],
    stored: [],
    lines: [
      { item: 'retrieval', storageClass: 'GLACIER', quantity: 900 * GIB, costMicros: 9_663_676 },
      { item: 'transfer', storageClass: null, quantity: 900 * GIB, costMicros: 86_973_087 },
    ],
    costMicros: 96_636_763,
    monthlyMicros: 0,
    bytes: 0,
    files: 0,
    ...stores.main,
  });
  const pruned = ledgerRecord({
    id: 'feed000000000002',
    time: daysAgo(1),
    operation: 'prune',
    project: 'deleted',
    uploadId: null,
    pricesOf: '2025-10-31',
    used: [],
    stored: [{ storageClass: 'DEEP_ARCHIVE', objects: -3, bytes: -3 * GIB, billedBytes: -3 * GIB }],
    lines: [{ item: 'earlyDeletion', storageClass: 'DEEP_ARCHIVE', quantity: 3 * GIB, costMicros: 4242 }],
    costMicros: 4242,
    monthlyMicros: -3191,
    bytes: 0,
    files: 0,
    ...stores.main,
  });
  return [
    uploaded(100, 'deleted', { bytes: 3 * GIB, costMicros: 240, monthlyMicros: 3191 }, {
      stored: [{ storageClass: 'DEEP_ARCHIVE', objects: 3, bytes: 3 * GIB, billedBytes: 3 * GIB }],
    }),
    uploaded(40, null, { bytes: 7000, costMicros: 1, monthlyMicros: 1 }, { ...stores.other, files: 1 }),
    uploaded(40, 'x', { bytes: 91_000, costMicros: 12, monthlyMicros: 2 }, {
      dvcStage: 'featurize',
      gitCommit: '9f3c2e1'.padEnd(40, '0'),
      ...stores.other,
    }),
    uploaded(36, 'ceph', { bytes: 812 * GIB, costMicros: 0, monthlyMicros: 0 }, stores.ceph),
    ...daily,
    uploaded(3, 'sequencing', huge, {
      dvcStage: '実験-of-a-stage-with-a-long-name',
      gitCommit: '41aa07d'.padEnd(40, '0'),
      stored: [{ storageClass: 'GLACIER_IR', objects: 128_000_000, bytes: huge.bytes, billedBytes: huge.bytes }],
    }),
    restored,
    pruned,
  ]; // prettier-ignore
}

const day = (micros: number, bytes: number, monthlyMicros = 0) => ({ micros, bytes, monthlyMicros, unpriced: 0 });

/** One budget in each state, beside each other. */
async function setBudgets(home: string): Promise<void> {
  const signal = new AbortController().signal;
  const opened = await openBook({ place: 'local', home, cwd: '/' }, { env: {}, signal });
  const since = new Date(NOW.getTime() - 14 * DAY_MS);
  const budget = (usd: number, gigabytes: number, ...used: readonly [string, ReturnType<typeof day>][]) =>
    emptyBudget(since, { costMicros: Math.round(usd * 1e6), volumeBytes: gigabytes * 1e9, days: new Map(used) });
  const today = daysAgo(0).slice(0, 10);
  const before = daysAgo(9).slice(0, 10);
  const projects = new Map([
    [LONG, budget(123_456.78, 54_321, [before, day(98_765_432_100, 3.1e12, 1e9)])],
    [WIDE, budget(0.004, 0.000_7, [today, day(1, 512)])],
    ['sequencing', budget(500, 0, [before, day(1_234_567_891_234, 5.5e15, 1_234_567_891_234)])],
    ['x', budget(10, 10, [before, day(3_000_000, 9.2e9)])],
    ['ceph', budget(0, 900, [today, { ...day(0, 8.7e11), unpriced: 2 }])],
  ]);
  const global = budget(2_000_000, 0, [today, day(1_333_333_333_333, 5.6e15)]);
  const reservations = [
    { id: 'a41f00000000000a', project: LONG, micros: 25_000_000_000, bytes: 7e12, until: daysAgo(-1) },
  ];
  await changeBook(opened.store, () => ({ global, projects, corrections: [], reservations }), signal);
  opened.close();
}

/** Writers of all conditions, one of them with two sources. */
function putFleet(put: (key: string, body: Uint8Array, at: string) => void): void {
  const checkIn = (writerId: string, at: string, change: Partial<Heartbeat>): void => {
    const cycle = { startedAt: at, endedAt: at, isHealthy: true };
    const sent = heartbeat(writerId, { checkedInAt: at, lastSuccessAt: at, cycle, ...change });
    put(heartbeatKey(writerId), heartbeatBytes(sent), at);
    for (const { datasetId, version } of sent.sources)
      if (datasetId !== null && version !== null)
        put(`writers/${writerId}/${recordKey({ datasetId, version })}`, Buffer.from('{}'), at);
  };
  const at = daysAgo(0, 1);
  const source = (path: string, change = {}) => heartbeatSource({ path, lastSuccessAt: at, ...change });
  checkIn('sequencer-of-the-second-floor-with-a-long-name-01', at, {
    sources: [
      source('/srv/実験データ/と/とても長い名前のフォルダー', {
        files: 12_345_678,
        bytes: 987 * 2 ** 40,
        added: 120_000,
      }),
      source('/srv/raw', { datasetId: 'raw-5f2b0c91', files: 0, bytes: 0, noChanges: true }),
    ],
  });
  checkIn('nas-1', at, {
    cycle: { startedAt: at, endedAt: at, isHealthy: false },
    problem: 'the disk /dev/sdb1 has gone away while it was read, and two hundred files could not be opened',
    sources: [source('/data', { isHealthy: false, error: 'cannot open /data: no such file or folder', skipped: 209 })],
  });
  const old = daysAgo(12);
  checkIn('nas-2', old, { sources: [source('/data', { lastSuccessAt: old })] });
  put('fleet/never-came/config.yaml', Buffer.from('version: 4\nwriter_id: never-came\n'), daysAgo(20));
}

const CUR = [
  'lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/LineItemType,lineItem/ResourceId,lineItem/UnblendedCost',
  ...[
    ['USW2-TimedStorage-ByteHrs', 'Usage', 'acme-archive', '1234567.891234'],
    ['USW2-Requests-Tier1', 'Usage', 'acme-archive', '0.00042'],
    ['USW2-DataTransfer-Out-Bytes', 'Usage', 'acme-archive', '86.97'],
    ['APS2-TimedStorage-ByteHrs', 'Usage', 'a-bucket-of-another-department-with-a-long-name', '0.0000007'],
    ['USW2-TimedStorage-ByteHrs', 'Usage', 'not-ours', '77'],
    ['USW2-TimedStorage-ByteHrs', 'Credit', 'acme-archive', '-12.5'],
    ['USW2-TimedStorage-ByteHrs', 'Refund', 'acme-archive', '-0.0042'],
    ['USW2-TimedStorage-ByteHrs', 'Tax', '', '234567.9'],
  ].map((cells) => `2025-11-01T00:00:00Z,2025-11-15T00:00:00Z,AmazonS3,${cells.join(',')}`),
  '',
].join('\n');

/** Opens the world; `args` of scenes are commands. */
export async function openTableWorld(): Promise<World> {
  const cwd = await mkdtemp(join(tmpdir(), 'archiver-tables-'));
  const home = join(cwd, '.archiver');
  await mkdir(home, { recursive: true });
  await appendRecords(ledgerFolder(home), records(), { host: 'here' });
  await setBudgets(home);
  for (const [at, monthlyMicros] of [1, 23_000_000, 1_234_567_891_234, null].entries())
    await appendHistory(
      join(home, 'upload-history.jsonl'),
      {
        time: daysAgo(9 - at),
        operation: 'upload',
        files: 7 * 100 ** at,
        bytes: 91_000 * 1000 ** at,
        storedBytes: 31_000 * 1000 ** at,
        chunks: 1 + at,
        durationMs: 1200 * 10 ** at,
        requests: 4 * 100 ** at,
        parameters: { storageClass: 'INTELLIGENT_TIERING' },
        costMicros: monthlyMicros === null ? null : 12 * 100 ** at,
        monthlyMicros,
      },
      { host: 'here' },
    );
  await writeFile(join(cwd, '.archiver.yaml'), 'costControl:\n  provider: aws\n');
  await writeFile(join(cwd, 'cur.csv'), CUR);
  await mkdir(join(cwd, 'source'));
  for (const name of ['a', 'b', 'c']) {
    await writeFile(join(cwd, 'source', name), name.repeat(50_000));
    await utimes(join(cwd, 'source', name), NOW, NOW);
  }
  await utimes(join(cwd, 'source'), NOW, NOW);
  const server = await startMemoryS3('acme-archive');
  server.rules.date = NOW;
  const put = (key: string, body: Uint8Array, at: string): void =>
    void server.buckets
      .get('acme-archive')
      ?.set(key, { body: Buffer.from(body), etag: key, modified: new Date(at), headers: {} });
  for (const [key, body] of storedUploads(8)) put(`lab/${key}`, body, daysAgo(0));
  putFleet((key, body, at) => put(`fleet/${key}`, body, at));
  return {
    args: [],
    cwd,
    env: {
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      NO_COLOR: '1',
      HOME: cwd,
      ARCHIVER_HOME: home,
      AWS_ENDPOINT_URL: server.endpoint,
      AWS_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
    async close() {
      await server.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
