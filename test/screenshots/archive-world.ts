// A dataset of three versions with cold chunks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asUploadId } from '../support/as-upload-id.js';
import { type FileSpec, type Json, makeArchive, md5 } from '../support/make-archive.js';
import { recordBytes, recordDocument, recordKey } from '../support/make-dataset.js';
import { type MemoryObject, startMemoryS3 } from '../support/memory-s3.js';
import type { World } from './scene.js';

const DATASET = 'run-04xx-5f2b0c91';
const BUCKET = 'acme-archive';
const MIB = 2 ** 20;
const OLD = '9f3c2e1'.padEnd(40, '0');
const NEW = '41aa07d'.padEnd(40, '0');
const CLASSES = ['STANDARD', 'GLACIER_IR', 'DEEP_ARCHIVE', 'GLACIER'];
const TRACE = `step,loss,gradient_norm\n${Array.from({ length: 90 }, (_, n) => `${n * 100},${(2.3 / (n + 1)).toFixed(4)},${(11.4 - n / 10).toFixed(2)}`).join('\n')}\n`;
const PARAMS =
  'features:\n  window: 512\n  overlap: 0.5\n  normalize: true\ntrain:\n  epochs: 40\n  batch: 256\n  learning_rate: 3.0e-4\n';

interface Row {
  readonly path: string;
  readonly bytes: number;
  readonly chunk: number;
  readonly stage?: string;
  readonly commit?: string;
  readonly content?: string;
  /** Not in versions before. */
  readonly since?: number;
  /** Not in this version and later ones. */
  readonly until?: number;
  /** Bytes in versions before the third. */
  readonly before?: number;
  readonly day?: number;
}

const ROWS: readonly Row[] = [
  {
    path: 'README.md',
    bytes: 3072,
    chunk: 0,
    commit: OLD,
    content: '# Run 04xx\n\nFeatures, models and traces of the fourth campaign.\n',
    day: 2,
  },
  { path: 'config/params.yaml', bytes: 4200, chunk: 0, stage: 'prepare', commit: OLD, content: PARAMS, day: 3 },
  ...['000', '001', '002'].map((part, n): Row => ({
    path: `data/features/part-${part}.parquet`,
    bytes: (512 - 7 * n) * MIB,
    chunk: 1,
    stage: 'featurize',
    commit: OLD,
    day: 4,
    ...(n === 2 ? { since: 3 } : {}),
  })),
  {
    path: 'data/features/schema.json',
    bytes: 2355,
    chunk: 0,
    stage: 'featurize',
    commit: OLD,
    content: '{"fields": 48}\n',
    day: 4,
  },
  {
    path: `data/features/very-long-experiment-name-${'of-'.repeat(20)}0032/metrics-final.json`,
    bytes: 18_432,
    chunk: 0,
    stage: 'featurize',
    commit: OLD,
    day: 4,
  },
  ...Array.from({ length: 12 }, (_, n): Row => ({
    path: `data/raw/plate-${String(n + 1).padStart(2, '0')}.tif`,
    bytes: (600 + 9 * n) * MIB,
    chunk: 2,
    stage: 'prepare',
    commit: OLD,
    day: 1,
  })),
  { path: 'models/run-11/model.bin', bytes: 1741 * MIB, chunk: 1, stage: 'train', commit: OLD, until: 3, day: 5 },
  { path: 'models/run-11/report.html', bytes: 214_016, chunk: 1, stage: 'train', commit: OLD, until: 3, day: 5 },
  {
    path: 'models/run-12/model.bin',
    bytes: 1843 * MIB,
    chunk: 3,
    stage: 'train',
    commit: NEW,
    before: 1741 * MIB,
    day: 9,
  },
  { path: 'models/run-12/report.html', bytes: 225_280, chunk: 1, stage: 'train', commit: NEW, before: 223_232, day: 9 },
  { path: 'models/run-13/model.bin', bytes: 1843 * MIB, chunk: 3, stage: 'train', commit: NEW, day: 10 },
  { path: 'models/run-13/report.html', bytes: 236_544, chunk: 1, stage: 'train', commit: NEW, day: 10 },
  { path: 'names/データ-😀.txt', bytes: 12, chunk: 0, commit: NEW, day: 6 },
  { path: 'notebooks/eda.ipynb', bytes: 1_153_434, chunk: 1, commit: NEW, day: 8 },
  ...Array.from({ length: 20 }, (_, n): Row => ({
    path: `results/seed-${1012 + n}/trace.csv`,
    bytes: 88 * MIB,
    chunk: 0,
    stage: 'evaluate',
    commit: NEW,
    content: TRACE,
    day: 11,
  })),
];

/** A version as the format page says; sizes are those of the rows, contents are short. */
function versionObjects(version: number): Map<string, Buffer> {
  const rows = ROWS.filter(({ since = 0, until = 9 }) => version >= since && version < until);
  const files = rows.map((row): FileSpec => {
    const { path, content = 'x', chunk, stage, commit, day = 1 } = row;
    const isOlder = version < 3 && row.before !== undefined;
    return {
      path,
      content: isOlder ? `${content}${version}` : content,
      chunk,
      mtime: `2025-11-${String(isOlder ? 1 : day).padStart(2, '0')}T23:14:07.000000000Z`,
      extra: { ...(stage && { stage }), ...(commit && { commit }) },
    };
  });
  const uploadId = asUploadId(`2025111${version}-181102-c0d1000${version}`);
  const made = makeArchive({
    files,
    uploadId,
    bend: ({ files: entries, chunks, ...manifest }) => {
      for (const [index, entry] of entries.entries()) {
        const row = rows[index];
        // What is read for the first lines keeps its size.
        if (row?.content === undefined) entry['size'] = (version < 3 ? row?.before : undefined) ?? row?.bytes ?? 0;
      }
      for (const [index, chunk] of chunks.entries()) {
        chunk['storageClass'] = CLASSES[index];
        if (index === 0) continue;
        const [frame] = chunk['frames'] as Json[];
        const size = 4096 * MIB;
        chunk['size'] = size + Number(chunk['tocSize']);
        chunk['rawSize'] = 2 * size;
        chunk['frames'] = [{ ...frame, size, rawSize: 2 * size }];
      }
      manifest['datasetId'] = DATASET;
      (manifest['totals'] as Json)['bytes'] = entries.reduce((sum, entry) => sum + Number(entry['size']), 0);
    },
  });
  const manifestBytes = made.objects.get(made.manifestKey) ?? Buffer.alloc(0);
  const document = recordDocument({ version, uploadId, manifest: made.manifest, manifestBytes, datasetId: DATASET });
  return new Map([...made.objects, [recordKey(version, DATASET), recordBytes(document)]]);
}

/** Chunks are in the class that the manifest says. */
function headersOf(key: string): Record<string, string> {
  const chunk = /chunk-0*(\d+)\.tar/.exec(key)?.[1];
  return chunk === undefined ? {} : { 'x-amz-storage-class': CLASSES[Number(chunk)] ?? 'STANDARD' };
}

/** The dataset on a server in this process; `command` opens its newest version. */
export async function openArchiveWorld(command: string): Promise<World> {
  const s3 = await startMemoryS3(BUCKET);
  const objects = s3.buckets.get(BUCKET) ?? new Map<string, MemoryObject>();
  for (const version of [1, 2, 3])
    for (const [key, body] of versionObjects(version))
      objects.set(`lab/${key}`, {
        body,
        etag: md5(body),
        modified: new Date('2025-11-14T12:00:00Z'),
        headers: headersOf(key),
      });
  const cwd = await mkdtemp(join(tmpdir(), 'archiver-screens-'));
  return {
    args: [command, `s3://${BUCKET}/lab`, '--dataset-id', DATASET, '--region', 'us-west-2'],
    cwd,
    env: {
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      HOME: cwd,
      ARCHIVER_HOME: join(cwd, '.archiver'),
      AWS_ENDPOINT_URL: s3.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
    async close() {
      await s3.close();
      await rm(cwd, { recursive: true });
    },
  };
}
