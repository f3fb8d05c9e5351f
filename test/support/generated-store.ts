// A store in a folder with one version of any number of files, whose manifest is generated: its chunks are named, and not there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordKey, encodeVersionRecord } from '../../src/core/dataset/records/version-record.js';
import { addEntries, composeManifest } from '../../src/core/format/manifest/compose-manifest.js';
import { manifestIndexOf } from '../../src/core/format/manifest/manifest-index.js';
import type { EncodedManifest } from '../../src/core/format/manifest/encoded-manifest.js';
import { entriesPerSegment, segmentedManifest } from '../../src/core/format/manifest/segmented.js';
import { SegmentTexts } from '../../src/core/format/manifest/segment-texts.js';
import type { Entry, ManifestHead, Totals } from '../../src/core/format/manifest/manifest-types.js';
import { asUploadId } from './as-upload-id.js';
import { chunkOf } from './chain-model.js';
import { raw } from './raw.js';

const UPLOAD_ID = asUploadId('20260101-000000-0badcafe');
const CHUNK_FILES = 100_000;
const BATCH = 4096;

export interface GeneratedStore {
  readonly folder: string;
  readonly files: number;
  /** Path of each file; in byte order. */
  readonly pathOf: (n: number) => string;
  /** True for a listing in segments, as an upload of so many files writes it; one object otherwise. */
  readonly isSegmented?: boolean;
}

const SIZE = 13;

/** Writes the store. Its dataset is `d`; each file has 13 bytes. */
export async function generateStore({ folder, files, pathOf, isSegmented = false }: GeneratedStore): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(files / CHUNK_FILES) }, (_, chunk) => ({
    ...chunkOf(`shard-00/chunk-${String(chunk).padStart(6, '0')}.tar.zst`, chunk),
    rawSize: CHUNK_FILES * 1024,
    frames: [{ size: 8 + chunk, rawSize: CHUNK_FILES * 1024, sha256: 'f'.repeat(64) }],
  }));
  const none = { directories: 0, symlinks: 0, hardlinks: 0, skipped: 0 };
  const stored = { storedBytes: files * SIZE, chunks: chunks.length };
  const totals: Totals = { entries: files, files, ...none, ...stored, bytes: files * SIZE };
  const settings: ManifestHead['settings'] = {
    shardStrategy: 'round-robin',
    shardCount: 1,
    frameSize: 0,
    chunkSize: 1,
    fileChecksums: true,
    compression: { algorithm: 'zstd', level: 3 },
  };
  const createdAt = '2026-01-01T00:00:00Z';
  const head: ManifestHead = {
    format: 1,
    type: 'archiver-manifest',
    requires: [],
    tool: 'generated',
    codec: 'zstd',
    uploadId: UPLOAD_ID,
    createdAt,
    listing: 'full',
    datasetId: 'd',
    storage: {},
    shards: [{ shard: 0, prefix: 'shard-00', chunks: chunks.length, files, bytes: files * SIZE, storedBytes: 1 }],
    chunks,
    totals,
    source: { path: raw('/lab'), host: 'h', mode: 0o755, mtime: { seconds: 0, nanos: 0 }, uid: 0, gid: 0 },
    settings,
  };
  const { bytes, sha256, segments } = await (isSegmented
    ? inSegments(head, pathOf)
    : composeManifest(head, mentions(files, pathOf)));
  for (const { place, bytes: content } of segments?.own ?? [])
    put(join(folder, `uploads/${UPLOAD_ID}/${place.key}`), content);
  const manifestKey = `uploads/${UPLOAD_ID}/manifest.json.gz`;
  const index = segments === undefined ? manifestIndexOf(bytes) : { size: bytes.length, sha256 };
  const record = encodeVersionRecord({
    format: 1,
    type: 'archiver-version',
    requires: [],
    datasetId: 'd',
    version: 1,
    uploadId: UPLOAD_ID,
    manifestKey,
    manifestSha256: sha256,
    ...(index && { manifestIndex: index }),
    createdAt,
    listing: 'full',
    previous: null,
    source: head.source,
    totals,
    writerId: 'w',
  } as unknown as Parameters<typeof encodeVersionRecord>[0]);
  put(join(folder, manifestKey), bytes);
  put(join(folder, recordKey({ datasetId: 'd', version: 1 })), record);
}

async function inSegments(head: ManifestHead, pathOf: (n: number) => string): Promise<EncodedManifest> {
  const { files } = head.totals;
  const texts = new SegmentTexts(entriesPerSegment(files));
  for await (const batch of mentions(files, pathOf)) await addEntries(texts, batch);
  return await segmentedManifest(head, await texts.finish(UPLOAD_ID, head.chunks), texts.linkGroups);
}

async function* mentions(files: number, pathOf: (n: number) => string): AsyncGenerator<readonly Entry[]> {
  for (let start = 0; start < files; start += BATCH) {
    yield await Promise.resolve(
      Array.from({ length: Math.min(BATCH, files - start) }, (_, at): Entry => {
        const n = start + at;
        return {
          path: raw(pathOf(n)),
          type: 'file',
          mode: 0o644,
          uid: 1000,
          gid: 1000,
          inode: raw(String(n)),
          size: SIZE,
          mtime: { seconds: 1_700_000_000 + n, nanos: n },
          ctime: { seconds: 1_700_000_000 + n, nanos: n },
          md5: n.toString(16).padStart(8, '0').repeat(4),
          chunk: Math.floor(n / CHUNK_FILES),
          offset: (n % CHUNK_FILES) * 1024 + 512,
        };
      }),
    );
  }
}

function put(path: string, content: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Folders of a thousand files, fifty of them in a group, as bench/million.mjs makes them. */
export function groupedPath(n: number): string {
  const folder = Math.floor(n / 1000);
  const digits = (value: number, length: number): string => String(value).padStart(length, '0');
  return `group-${digits(Math.floor(folder / 50), 4)}/folder-${digits(folder, 6)}/file-${digits(n % 1000, 3)}.txt`;
}
