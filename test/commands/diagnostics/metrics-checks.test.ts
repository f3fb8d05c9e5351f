// What checks of a folder store say of its datasets, as Prometheus reads it.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { command as checks } from '../../../src/commands/diagnostics/metrics/checks.js';
import { command as drill } from '../../../src/commands/drill.js';
import { checksMetrics } from '../../../src/core/diagnostics/checks-metrics.js';
import { encodeCheck } from '../../../src/core/dataset/checks/check-document.js';
import { callsIn, datasetFolder } from '../../support/dataset-folder.js';
import { linkId } from '../../support/make-chain.js';
import { DATASET, makeDataset, writeObjects } from '../../support/make-dataset.js';
import { parseExposition } from '../../support/parse-exposition.js';
import { treeOf } from '../../support/tree-of.js';

const FIRST = {
  files: [
    { path: 'a.txt', content: 'alpha' },
    { path: 'b.txt', content: 'beta', chunk: 1 },
    { path: 'c.txt', content: 'gamma', chunk: 1 },
  ],
};
const one = makeDataset([FIRST]);
const two = makeDataset([FIRST, { files: [{ path: 'new.txt', content: 'new' }] }]);
const root = treeOf([drill, checks], [{ path: 'metrics', summary: 'metrics' }], 'test');
let folder = '';
let base = '';
const { run, json } = callsIn(root, () => folder);
const drilled = async (...flags: readonly string[]): Promise<number> =>
  (await run('drill', base, '--scratch', join(folder, 'scratch'), '-q', ...flags)).status;

/** The value of each metric of the dataset, without what all names begin with. */
function valuesIn(text: string): Readonly<Record<string, number>> {
  const labels = `{dataset="${DATASET}",store="${base}"}`;
  const found = [...parseExposition(text)].flatMap(([name, { samples }]) =>
    [...samples].flatMap(([key, value]) => (key.endsWith(labels) ? [[name, value] as const] : [])),
  );
  return Object.fromEntries(found.map(([name, value]) => [name.replace('archiver_dataset_', ''), value]));
}
const told = async (): Promise<Readonly<Record<string, number>>> =>
  valuesIn((await run('metrics', 'checks', base)).stdout);

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(one));
  mkdirSync(join(folder, 'scratch'));
});

function flipChunk(): void {
  const upload = join(folder, 'store/uploads', linkId(0));
  const [name = ''] = readdirSync(upload, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tar.zst'))
    .toSorted();
  const bytes = readFileSync(join(upload, name));
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(join(upload, name), bytes);
}

test('a dataset that nobody has drilled is not proven', async () => {
  expect(await told()).toEqual({ drill_last_success_timestamp_seconds: 0, proven_ratio: 0, check_failed: 0 });
});

test('drills prove a share of the bytes, by one listing and one GET', async () => {
  await drilled('--files', '1');
  const { proven_ratio: some = 0 } = await told();
  expect([some > 0, some < 1]).toEqual([true, true]);
  await setTimeout(1000); // keys are of a second, and both drills would be read
  await drilled('--sample', '100%');

  const all = await told();
  expect(all).toMatchObject({ proven_ratio: 1, proven_days: 30, check_failed: 0 });
  expect(Date.now() / 1000 - (all['drill_last_success_timestamp_seconds'] ?? 0)).toBeLessThan(60);
  const { checkedDatasets, requests } = await json('metrics', 'checks', base);
  expect(checkedDatasets).toMatchObject([{ datasetId: DATASET, hasFailedCheck: false, provenBytes: 14 }]);
  expect(requests).toMatchObject({ list: 1, get: 1 });
});

test('a failed drill outranks a good backup, until what was wrong came back right', async () => {
  await drilled('--sample', '100%');
  flipChunk();
  expect(await drilled('--sample', '100%')).toBe(1);
  await writeObjects(join(folder, 'store'), two.objects);
  flipChunk();

  const failed = await told();
  expect(failed['check_failed']).toBe(1);
  expect(failed['proven_ratio']).toBeLessThan(1);
  expect(await drilled('--sample', '100%')).toBe(1);
  flipChunk();
  expect(await drilled('--sample', '100%')).toBe(0);
  expect(await told()).toMatchObject({ check_failed: 0, proven_ratio: 1 });
  // The drill that has found it right is none of the newest twenty.
  for (let round = 0; round < 21; round++) copyDrill(round);
  expect((await told())['check_failed']).toBe(0);
});

/** Another drill after all others, which has proven nothing. */
function copyDrill(round: number): void {
  const id = `20270101-0000${10 + round}-00000000`;
  const at = new Date().toISOString();
  const check = {
    datasetId: DATASET,
    kind: 'drill',
    ok: true,
    startedAt: at,
    endedAt: at,
    host: 'nas',
    tool: 'archiver',
    checked: 'sample',
    versions: [{ version: 2, uploadId: linkId(1), errorCount: 0 }],
    chunks: 2,
    chunksRead: 0,
    chunksCold: 0,
  } as const;
  const name = `${id}.drill.ok.json`;
  writeFileSync(join(folder, 'store/datasets', DATASET, 'checks', name), encodeCheck(check));
}

test('what cannot be read proves nothing, and is wrong where its key says so', async () => {
  await drilled('--sample', '100%');
  const records = join(folder, 'store/datasets', DATASET, 'checks');
  const [name = ''] = readdirSync(records);
  writeFileSync(join(records, name), 'damaged');
  const { status, stdout, stderr } = await run('metrics', 'checks', base);

  expect([status, stderr]).toEqual([3, expect.stringContaining(name)]);
  expect(valuesIn(stdout)).toMatchObject({
    drill_last_success_timestamp_seconds: 0,
    proven_ratio: 0,
    check_failed: 0,
  });
  writeFileSync(join(records, name.replace('.ok.', '.failed.')), 'damaged');
  expect((await told())['check_failed']).toBe(1);
});

test('a drill that is older than its days proves nothing any more', () => {
  const drill = { endedAt: new Date(0), coverage: { days: 30, bytes: 7, ofBytes: 14, files: 1, ofFiles: 2 } };
  const dataset = { datasetId: DATASET, provenAt: new Date(0), drill, hasFailedCheck: false };
  const ratios = [29, 31].map(
    (day) => valuesIn(checksMetrics([dataset], base, new Date(day * 86_400_000)))['proven_ratio'],
  );

  expect(ratios).toEqual([0.5, 0]);
});

test('the file of node_exporter is replaced, and stays where the store cannot be read', async () => {
  const file = join(folder, 'drills.prom');
  expect((await run('metrics', 'checks', base, '--textfile', 'drills.prom')).stdout).toBe('1 dataset in drills.prom\n');
  const text = readFileSync(file, 'utf8');

  expect(valuesIn(text)['proven_ratio']).toBe(0);
  expect(text).toContain(`archiver_dataset_checks_read_timestamp_seconds{store="${base}"} `);
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect((await run('metrics', 'checks', `${base}/nothing`, '--textfile', 'drills.prom')).status).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
