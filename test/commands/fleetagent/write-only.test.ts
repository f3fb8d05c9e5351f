// Agents over S3, in this process: a writer that may put and list and nothing else, and three of them behind a proxy that
// breaks one request in twenty.
import { appendFileSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listAllVersions, readVersions } from '../../../src/core/dataset/records/versions.js';
import { heartbeatKey, parseHeartbeat } from '../../../src/core/fleet/heartbeat.js';
import type { ObjectStore } from '../../../src/core/object-store/object-store.js';
import { readAll } from '../../../src/core/object-store/read-content.js';
import { describeTree, noise } from '../../core/archive/trees.js';
import { archiver } from '../../e2e/in-process.js';
import type { Fault } from '../../faults/fault.js';
import { type FaultProxy, startFaultProxy } from '../../faults/fault-proxy.js';
import { startMemoryS3 } from '../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { restoreMade } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';

const BUCKET = 'fleet';
const URL = `s3://${BUCKET}/base`;
const DAY_MS = 86_400_000;

interface Cycle {
  readonly status: number | null;
  readonly stderr: string;
}

interface Writer {
  readonly home: string;
  readonly source: string;
  readonly cycle: (...more: readonly string[]) => Promise<Cycle>;
  /** The same so many days ago. */
  readonly cycleBefore: (days: number, ...more: readonly string[]) => Promise<Cycle>;
}

async function world() {
  useTestCredentials();
  const s3 = await startMemoryS3(BUCKET);
  onTestFinished(() => s3.close());
  const proxy = await startFaultProxy(s3.endpoint);
  onTestFinished(() => proxy.close());
  const above = realpathSync(await tempFolder());
  const writer = (id: string): Writer => {
    const [home, source] = [join(above, id), join(above, id, 'data')];
    mkdirSync(source, { recursive: true });
    for (let i = 0; i < 20; i++) writeFileSync(join(source, `file-${i}`), noise(1000));
    return {
      home,
      source,
      cycle: (...more) => run(more),
      cycleBefore: (days, ...more) => run(more, () => new Date(Date.now() - days * DAY_MS)),
    };

    function run(more: readonly string[], now?: () => Date): Promise<Cycle> {
      const args = ['fleetagent', 'run', source, URL, '--writer-id', id, '--track-deletes', '--once', ...more];
      const env = {
        AWS_ENDPOINT_URL: proxy.endpoint,
        AWS_ACCESS_KEY_ID: 'archiver',
        AWS_SECRET_ACCESS_KEY: 'secret',
      };
      return archiver(home, args, now === undefined ? { env } : { env, now });
    }
  };
  const reader = async (id: string): Promise<ObjectStore> =>
    (await openTestS3(s3.endpoint, BUCKET, { prefix: `base/writers/${id}` })).store;
  const status = async (id: string) => {
    const { store } = await openTestS3(s3.endpoint, BUCKET, { prefix: 'base' });
    return parseHeartbeat(await readAll(await store.get(heartbeatKey(id)), 2 ** 20));
  };
  return { s3, proxy, writer, reader, status };
}

/** The newest version as it is restored. */
async function restoredHead(reader: ObjectStore): Promise<unknown> {
  const [[datasetId, listed] = ['', []]] = [...(await listAllVersions(reader))];
  const [head] = await readVersions(reader, datasetId, listed.slice(-1));
  if (head === undefined || !('record' in head)) return undefined;
  const { out } = await restoreMade({ objects: new Map(), uploadId: head.record.uploadId }, { reader });
  return describeTree(out);
}

const REFUSED = ['GetObject', 'HeadObject', 'HeadBucket', 'DeleteObject', 'DeleteObjects', 'CreateMultipartUpload'];
const refusedRequests = ({ counts }: FaultProxy): number =>
  REFUSED.reduce((sum, operation) => sum + (counts.get(operation) ?? 0), 0);

test('a writer that may only put and list needs no more, and says what it costs to remember nothing', async () => {
  const { proxy, writer, reader, status } = await world();
  for (const operation of REFUSED)
    proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
  const nas = writer('nas');

  for (let cycle = 0; cycle < 3; cycle++) {
    appendFileSync(join(nas.source, 'log'), `cycle ${cycle}\n`);
    expect((await nas.cycle()).status).toBe(0);
  }

  expect(refusedRequests(proxy)).toBe(0);
  expect((await status('nas')).sources).toMatchObject([{ version: 3, modified: 1, comparedWith: 'cache' }]);
  expect(await restoredHead(await reader('nas'))).toEqual(describeTree(nas.source));

  const without = await nas.cycle('--no-manifest-cache');
  expect(without.stderr).toMatch(/v4, .*, all 19.6 KiB sent again \(--no-manifest-cache\)/);
  expect(refusedRequests(proxy)).toBe(1);
  rmSync(join(nas.home, '.archiver', 'manifest-cache'), { recursive: true });
  const lost = await nas.cycle();
  expect(lost.stderr).toMatch(/v5, .*, all 19.6 KiB sent again \(no version is remembered here\)/);
  expect((await status('nas')).sources).toMatchObject([{ version: 5, comparedWith: 'none' }]);
  expect(await restoredHead(await reader('nas'))).toEqual(describeTree(nas.source));
});

test('what a cycle stores is locked for as long as was said, and heartbeats are not', async () => {
  const { s3, writer } = await world();
  const before = Date.now();

  const { status } = await writer('nas').cycle('--object-lock', 'governance', '--retain', '90d');

  expect(status).toBe(0);
  const stored = [...(s3.buckets.get(BUCKET) ?? [])];
  const locks = stored.map(([key, { headers }]) => ({
    isBeat: key.endsWith('status.json'),
    mode: headers['x-amz-object-lock-mode'],
    until: Date.parse(headers['x-amz-object-lock-retain-until-date'] ?? ''),
  }));
  expect(locks.filter(({ isBeat }) => isBeat)).toEqual([{ isBeat: true, mode: undefined, until: Number.NaN }]);
  const [first, ...others] = locks.filter(({ isBeat }) => !isBeat);
  expect(first).toMatchObject({ mode: 'GOVERNANCE' });
  expect(first?.until).toBeGreaterThanOrEqual(before + 90 * DAY_MS);
  expect(others.length).toBeGreaterThan(1);
  for (const lock of others) expect(lock).toEqual(first);
});

test('an upload whose lock has ended before it was done is begun anew', async () => {
  const { proxy, reader, status, writer } = await world();
  const nas = writer('nas');
  const lock = ['--object-lock', 'governance', '--retain', '90d'];
  proxy.inject({ path: /manifest\.json/, fault: { kind: 'status', status: 403, code: 'AccessDenied' }, times: 1 });

  expect((await nas.cycleBefore(91, ...lock)).status).toBe(1);
  const late = await nas.cycle(...lock);

  expect([late.status, late.stderr]).toEqual([0, expect.stringContaining('the lock of that has ended')]);
  expect((await status('nas')).problem).toBeNull();
  expect(await restoredHead(await reader('nas'))).toEqual(describeTree(nas.source));
});

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 503, code: 'SlowDown' },
  { kind: 'lost-answer' },
  { kind: 'status', status: 500, code: 'InternalError' },
  { kind: 'duplicate' },
];

test('three agents on one store, where one request in twenty goes wrong, keep every version', async () => {
  const { proxy, writer, reader, status } = await world();
  for (let at = 0; at < 20; at++) {
    const fault = FAULTS[at % FAULTS.length];
    if (fault !== undefined) proxy.inject({ fault, skip: at * 20 + 7, times: 1 });
  }
  const ids = ['web-01', 'web-02', 'nas-01'];
  const writers = ids.map((id) => writer(id));

  for (let cycle = 0; cycle < 3; cycle++) {
    for (const { source } of writers) writeFileSync(join(source, `file-${cycle}`), noise(1000));
    const ran = await Promise.all(writers.map((one) => one.cycle()));
    expect(ran.map((one) => one.status)).toEqual([0, 0, 0]);
  }

  for (const [at, id] of ids.entries()) {
    expect(await status(id)).toMatchObject({ problem: null, sources: [{ version: 3, isHealthy: true }] });
    expect(await restoredHead(await reader(id))).toEqual(describeTree(writers[at]?.source ?? ''));
  }
});
