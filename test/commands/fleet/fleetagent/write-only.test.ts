// Agents over S3, in this process: a writer that may put and list and nothing else, and three of them behind a proxy that
// breaks one request in twenty.
import { appendFileSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listDatasets, readVersions } from '../../../../src/core/dataset/records/versions.js';
import { heartbeatKey, parseHeartbeat } from '../../../../src/core/fleet/heartbeat.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { readAll } from '../../../../src/core/store/read-content.js';
import { describeTree, noise } from '../../../core/archive/trees.js';
import { archiver } from '../../../e2e/in-process.js';
import type { Fault } from '../../../faults/fault.js';
import { type FaultProxy, startFaultProxy } from '../../../faults/fault-proxy.js';
import { startMemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { restoreMade } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';

const BUCKET = 'fleet';
const URL = `s3://${BUCKET}/base`;
const DAY_MS = 86_400_000;
const REFUSED = ['GetObject', 'HeadObject', 'HeadBucket', 'DeleteObject', 'DeleteObjects', 'CreateMultipartUpload'];

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
  /** The same by a config, with these lines of the source in it. */
  readonly configured: (source: readonly string[], config?: readonly string[]) => Promise<Cycle>;
}

async function world() {
  useTestCredentials();
  const s3 = await startMemoryS3(BUCKET);
  s3.lockable.add(BUCKET);
  onTestFinished(() => s3.close());
  const proxy = await startFaultProxy(s3.endpoint);
  onTestFinished(() => proxy.close());
  const above = realpathSync(await tempFolder());
  /** What a policy refuses that allows to put and to list. */
  const refuse = (): void => {
    for (const operation of REFUSED)
      proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
  };
  const writer = (id: string): Writer => {
    const [home, source] = [join(above, id), join(above, id, 'data')];
    mkdirSync(source, { recursive: true });
    for (let i = 0; i < 20; i++) writeFileSync(join(source, `file-${i}`), noise(1000));
    return {
      home,
      source,
      cycle: (...more) => run([source, URL, ...more]),
      cycleBefore: (days, ...more) => run([source, URL, ...more], () => new Date(Date.now() - days * DAY_MS)),
      configured(ofSource, ofConfig = []) {
        const lines = ['version: 1', `writer_id: ${id}`, `store: ${URL}`, ...ofConfig, 'watch_paths:'];
        const config = join(home, 'config.yaml');
        writeFileSync(config, [...lines, `  - path: ${source}`, ...ofSource.map((line) => `    ${line}`)].join('\n'));
        return run(['--config', config]);
      },
    };

    function run(more: readonly string[], now?: () => Date): Promise<Cycle> {
      const args = ['fleetagent', 'run', '--writer-id', id, '--track-deletes', '--once', ...more];
      const env = {
        AWS_ENDPOINT_URL: proxy.endpoint,
        AWS_ACCESS_KEY_ID: 'archiver',
        AWS_SECRET_ACCESS_KEY: 'secret',
      };
      return archiver(home, args, now === undefined ? { env } : { env, now });
    }
  };
  /** Somebody who may do everything, with a computer of their own. */
  const admin = (...args: readonly string[]) =>
    archiver(above, args, {
      env: { AWS_ENDPOINT_URL: s3.endpoint, AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'secret' },
    });
  const reader = async (id: string): Promise<ObjectStore> =>
    (await openTestS3(s3.endpoint, BUCKET, { prefix: `base/writers/${id}` })).store;
  const status = async (id: string) => {
    const { store } = await openTestS3(s3.endpoint, BUCKET, { prefix: 'base' });
    return parseHeartbeat(await readAll(await store.get(heartbeatKey(id)), 2 ** 20));
  };
  return { s3, proxy, refuse, admin, writer, reader, status };
}

/** The newest version as it is restored. */
async function restoredHead(reader: ObjectStore): Promise<unknown> {
  const [[, listed] = ['', []]] = [...(await listDatasets(reader)).versions];
  const [head] = await readVersions(reader, listed.slice(-1));
  if (head === undefined || !('record' in head)) return undefined;
  const { out } = await restoreMade({ objects: new Map(), uploadId: head.record.uploadId }, { reader });
  return describeTree(out);
}

const refusedRequests = ({ counts }: FaultProxy): number =>
  REFUSED.reduce((sum, operation) => sum + (counts.get(operation) ?? 0), 0);

test('a writer that may only put and list needs no more, and says what it costs to remember nothing', async () => {
  const { proxy, refuse, writer, reader, status } = await world();
  refuse();
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

test.each([
  ['rewrites the newest record costs one full version', 1, 'none', 'sent-again'],
  ['leaves it as it is costs nothing', 19, 'cache', 'mass-change'],
])('a prune that %s', async (_, changed, comparedWith, kind) => {
  const { proxy, refuse, admin, writer, reader, status } = await world();
  refuse();
  const nas = writer('nas');
  await nas.cycle();
  // A delta is made whole when what it builds on is retired; where most has changed it is whole already.
  for (let at = 0; at < changed; at++) writeFileSync(join(nas.source, `file-${at}`), noise(1000));
  await nas.cycle();
  const place = `${URL}/writers/nas`;

  const pruned = await admin('dataset', 'prune', place, '--all-datasets', '--keep-last=1', '--instant', '--force');
  writeFileSync(join(nas.source, 'new'), 'x');
  const next = await nas.cycle();
  const verified = await admin('verify', place, '--deep');

  expect([pruned.status, next.status, verified.status]).toEqual([0, 3, 0]);
  expect((await status('nas')).findings).toMatchObject([{ kind, source: nas.source }]);
  expect(pruned.stdout).toContain('retired 1 version');
  expect((await status('nas')).sources).toMatchObject([{ version: 3, comparedWith }]);
  expect(await restoredHead(await reader('nas'))).toEqual(describeTree(nas.source));
  await nas.cycle();
  expect((await status('nas')).sources).toMatchObject([{ noChanges: true, comparedWith: 'cache' }]);
  expect(refusedRequests(proxy)).toBe(comparedWith === 'none' ? 1 : 0);
});

test('encryption by a KMS key needs no permission to read', async () => {
  const { s3, proxy, refuse, writer, status } = await world();
  refuse();
  const nas = writer('nas');
  const key = 'arn:aws:kms:us-west-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const config = [`kms_key_id: ${key}`];

  const first = await nas.configured([], config);
  writeFileSync(join(nas.source, 'new'), 'x');
  const second = await nas.configured([], config);

  expect([first.status, second.status]).toEqual([0, 0]);
  expect((await status('nas')).sources).toMatchObject([{ version: 2, added: 1, comparedWith: 'cache' }]);
  expect(refusedRequests(proxy)).toBe(0);
  const chunks = [...(s3.buckets.get(BUCKET) ?? [])].filter(([name]) => name.endsWith('.tar.zst'));
  const keys = chunks.map(([, { headers }]) => headers['x-amz-server-side-encryption-aws-kms-key-id']);
  expect(keys).toEqual([key, key]);
});

test('an interrupted cycle is continued by a config that wants less, and nothing of the rest is in the version', async () => {
  const { proxy, refuse, admin, writer, reader, status } = await world();
  refuse();
  const nas = writer('nas');
  proxy.inject({ path: /manifest\.json/, fault: { kind: 'status', status: 403, code: 'AccessDenied' }, times: 1 });
  writeFileSync(join(nas.source, 'secret.key'), 'x');

  const broken = await nas.configured([]);
  const after = await nas.configured(['exclude_patterns: ["*.key"]', 'recursive: false']);

  expect([broken.status, after.status]).toEqual([1, 0]);
  expect(after.stderr).toContain('20 of 20 files are in the store already');
  expect(await status('nas')).toMatchObject({ problem: null, sources: [{ version: 1, files: 20 }] });
  expect((await admin('verify', `${URL}/writers/nas`, '--deep')).status).toBe(0);
  rmSync(join(nas.source, 'secret.key'));
  expect(await restoredHead(await reader('nas'))).toEqual(describeTree(nas.source));
});

test('an interrupted cycle is continued by a config that waits for files to settle', async () => {
  const { proxy, refuse, writer, reader, status } = await world();
  refuse();
  const nas = writer('nas');
  await nas.configured([]);
  const before = describeTree(nas.source);
  writeFileSync(join(nas.source, 'file-1'), noise(1000));
  proxy.inject({ path: /manifest\.json/, fault: { kind: 'status', status: 403, code: 'AccessDenied' }, times: 1 });

  const broken = await nas.configured([]);
  writeFileSync(join(nas.source, 'file-1'), 'half of');
  const after = await nas.configured(['min_age: 1h']);

  expect([broken.status, after.status]).toEqual([1, 0]);
  expect(await status('nas')).toMatchObject({ problem: null, sources: [{ modified: 0, files: 20 }] });
  expect(await restoredHead(await reader('nas'))).toEqual(before);
  await nas.configured([]);
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
