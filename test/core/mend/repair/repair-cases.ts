// Uploads whose manifests tests lose or damage, and what is there afterwards.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openView } from '../../../../src/core/dataset/chain/view.js';
import { RecordSearch } from '../../../../src/core/mend/repair/find-record.js';
import type { Entry, VersionRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore, WholeStore } from '../../../../src/core/store/object-store.js';
import { repairUpload } from '../../../../src/core/mend/repair/repair.js';
import type { RepairOptions, RepairResult } from '../../../../src/core/mend/repair/repair-result.js';
import type { VerifyResult } from '../../../../src/core/mend/verify/verify.js';
import { uploadFolder, type UploadRunOptions } from '../../archive/upload-folder.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { verifyMade } from '../../../support/verify-made.js';

export const signal = new AbortController().signal;
let nextId = 0;

/** Uploads a folder, or with `changes` what differs from the version before; gives the id. */
export async function uploaded(source: string, base: string, options: UploadRunOptions = {}): Promise<string> {
  const randomBytes = (): Buffer => Buffer.from([2, 0, ++nextId >> 8, nextId & 0xff]);
  return (await uploadFolder(source, base, { randomBytes, ...options }).result).uploadId;
}

export interface RepairRun extends Partial<Omit<RepairOptions, 'store' | 'uploadId'>> {
  readonly wrap?: (store: WholeStore) => ObjectStore;
}

/** Repairs, with `execute` unless told otherwise. */
export async function repair(
  base: string,
  uploadId: string,
  { wrap, ...options }: RepairRun = {},
): Promise<RepairResult> {
  const store = fileStore(base);
  return await repairIn(wrap?.(store) ?? store, uploadId, options);
}

/** The same in any store. */
export async function repairIn(
  store: ObjectStore,
  uploadId: string,
  options: Omit<RepairRun, 'wrap'> = {},
): Promise<RepairResult> {
  return await repairUpload({
    store,
    uploadId: asUploadId(uploadId),
    region: undefined,
    tool: 'archiver test',
    execute: true,
    force: false,
    fromPrevious: false,
    requestsAtOnce: 4,
    signal,
    ...options,
  });
}

export const manifestPath = (base: string, uploadId: string): string =>
  join(base, 'uploads', uploadId, 'manifest.json.gz');

export type ManifestDocument = Record<string, unknown> & {
  files: (Record<string, unknown> & { path?: string })[];
  chunks: (Record<string, unknown> & { key: string; chunk: number })[];
};

export const documentOf = (base: string, uploadId: string): ManifestDocument =>
  JSON.parse(gunzipSync(readFileSync(manifestPath(base, uploadId))).toString()) as ManifestDocument;

export const loseManifest = (base: string, uploadId: string): void => rmSync(manifestPath(base, uploadId));

/** Removes the copies of deltas: they would spare a repair its work. */
export function loseCopies(base: string): void {
  for (const name of readdirSync(join(base, 'uploads'), { recursive: true, encoding: 'utf8' }))
    if (name.includes('.copy-')) rmSync(join(base, 'uploads', name));
}

/** Cuts the manifest off, which leaves its beginning readable. */
export function cutManifest(base: string, uploadId: string): Buffer {
  const path = manifestPath(base, uploadId);
  const bytes = readFileSync(path);
  const cut = bytes.subarray(0, bytes.length - 40);
  writeFileSync(path, cut);
  return Buffer.from(cut);
}

/** Flips a bit of a file. */
export function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

export async function recordOf(base: string, uploadId: string): Promise<VersionRecord> {
  const { found } = await RecordSearch.of(fileStore(base), asUploadId(uploadId), signal);
  if (found === undefined) throw new Error(`no record names ${uploadId}`);
  return found.record;
}

/** The effective view, as the record of the version reads it. */
export async function viewEntries(base: string, uploadId: string): Promise<Entry[]> {
  const { manifestSha256 } = await recordOf(base, uploadId);
  const view = await openView(fileStore(base), { uploadId: asUploadId(uploadId), sha256: manifestSha256 });
  const entries: Entry[] = [];
  for await (const batch of view.entries()) entries.push(...batch);
  return entries;
}

/** Without what a merge is free to number as it likes. */
export const comparable = (entries: readonly Entry[]): unknown[] =>
  entries.map(({ chunk: _chunk, segments, linkGroup: _group, ...rest }) => ({ ...rest, parts: segments?.length }));

export async function verifyDeep(base: string, uploadId: string): Promise<VerifyResult> {
  return await verifyMade(fileStore(base), asUploadId(uploadId));
}
