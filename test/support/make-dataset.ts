// A dataset made by docs/format.md: a chain of uploads and a version record for each, in a folder that a file store reads.
import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openVersion } from '../../src/core/dataset/chain/version-view.js';
import { listVersions, readVersion } from '../../src/core/dataset/records/versions.js';
import { chunkKey } from '../../src/core/format/manifest/manifest-check.js';
import type { ObjectReader } from '../../src/core/store/object-store.js';
import { readAll } from '../../src/core/store/read-content.js';
import type { Json } from './make-archive.js';
import { linkId, makeChain, type LinkSpec, type MadeChain } from './make-chain.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';

/** What `make-archive` writes into its manifests. */
export const DATASET = 'made-00000000';
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

export const recordKey = (version: number, datasetId = DATASET): string =>
  `datasets/${datasetId}/v${String(version).padStart(8, '0')}.json`;

/** A version record, its digest filled in last. */
export function recordBytes(document: Json): Buffer {
  return Buffer.from(`${JSON.stringify({ ...document, digest: sha256(JSON.stringify(document)) })}\n`);
}

export interface RecordSpec {
  readonly version: number;
  readonly uploadId: UploadId;
  readonly manifest: Json;
  readonly manifestBytes: Buffer;
  readonly datasetId?: string;
  readonly createdAt?: string;
}

/** The document of a record, without its digest. */
export function recordDocument({ version, uploadId, manifest, manifestBytes, ...spec }: RecordSpec): Json {
  return {
    format: 1,
    type: 'archiver-version',
    datasetId: spec.datasetId ?? DATASET,
    version,
    uploadId,
    manifestKey: `uploads/${uploadId}/manifest.json.gz`,
    manifestSha256: sha256(manifestBytes),
    createdAt: spec.createdAt ?? `2026-03-${String(version).padStart(2, '0')}T12:00:00.000Z`,
    listing: manifest['listing'],
    previous: version === 1 ? null : version - 1,
    source: { path: '/made', host: 'test' },
    totals: manifest['view'] ?? manifest['totals'],
  };
}

export interface MadeDataset extends MadeChain {
  /** Objects of one version: its upload and its record. */
  objectsOf(version: number): Map<string, Buffer>;
}

/** A chain whose links are versions 1, 2, … */
export function makeDataset(links: readonly LinkSpec[], createdAt?: (version: number) => string): MadeDataset {
  const chain = makeChain(links);
  chain.manifests.forEach((manifest, link) => {
    const uploadId = linkId(link);
    const manifestBytes = chain.objects.get(`uploads/${uploadId}/manifest.json.gz`) ?? Buffer.alloc(0);
    const version = link + 1;
    const moment = createdAt === undefined ? {} : { createdAt: createdAt(version) };
    const document = recordDocument({ version, uploadId, manifest, manifestBytes, ...moment });
    chain.objects.set(recordKey(version), recordBytes(document));
  });
  const objectsOf = (version: number): Map<string, Buffer> => {
    const isOf = (key: string): boolean =>
      key === recordKey(version) || key.startsWith(`uploads/${linkId(version - 1)}/`);
    return new Map([...chain.objects].filter(([key]) => isOf(key)));
  };
  return { ...chain, objectsOf };
}

/** Writes objects as files below a folder. */
export async function writeObjects(folder: string, objects: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [key, bytes] of objects) {
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await writeFile(join(folder, key), bytes);
    // The store got each record when its writer says so.
    const [, createdAt] = /^datasets\/.*"createdAt":"([^"]+)"/s.exec(`${key}${bytes.toString('utf8', 0, 4096)}`) ?? [];
    const moment = new Date(createdAt ?? '');
    if (!Number.isNaN(moment.getTime())) await utimes(join(folder, key), moment, moment);
  }
}

/** Everything that a version says, with the digests of the chunks as they lie in the store. */
export async function versionContent(reader: ObjectReader, version: number, datasetId = DATASET): Promise<string[]> {
  const record = await readVersion(reader, { datasetId, version });
  const view = await openVersion(reader, record);
  const stored = new Map<number, string>();
  const storedAt = async (position: number): Promise<string> => {
    const chunk = view.chunks[position];
    const key = chunkKey(record.uploadId, chunk?.key ?? '') ?? '';
    const digest = stored.get(position) ?? sha256(await readAll(await reader.get(key), 1e9));
    stored.set(position, digest);
    if (digest !== chunk?.sha256) throw new Error(`${key} is not what the manifest says`);
    return digest;
  };
  const lines: string[] = [];
  for await (const batch of view.entries()) {
    for (const { chunk, segments, linkGroup: _group, ...entry } of batch) {
      const places = segments?.map((part) => part.chunk) ?? (chunk === undefined ? [] : [chunk]);
      const fields = Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1));
      lines.push(JSON.stringify([fields, await Promise.all(places.map(storedAt))]));
    }
  }
  return [...lines, JSON.stringify(view.totals.entries)];
}

/** The content of every version that has a record. */
export async function allContent(reader: ObjectReader, datasetId = DATASET): Promise<Map<number, string[]>> {
  const content = new Map<number, string[]>();
  for (const { version } of await listVersions(reader, datasetId))
    content.set(version, await versionContent(reader, version, datasetId));
  return content;
}

/** Every key of the store. */
export async function allKeys(reader: ObjectReader): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of reader.list()) keys.push(...page.objects.map(({ key }) => key));
  return keys;
}
