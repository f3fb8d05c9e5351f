// Datasets of several versions whose manifests tests lose, and what every version holds afterwards.
import { mkdirSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeVersionRecord, recordKey } from '../../../../src/core/dataset/records/version-record.js';
import { digestsOf } from '../../../../src/core/dataset/chain/version-view.js';
import { listDatasets, readVersion } from '../../../../src/core/dataset/records/versions.js';
import type { ManifestCache } from '../../../../src/core/dataset/cache/manifest-cache.js';
import { loadChain, loadExpected } from '../../../../src/core/dataset/chain/load-chain.js';
import { readView } from '../../../../src/core/dataset/chain/read-view.js';
import type { Entry, VersionRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { restoreFrom } from '../../../support/restore-made.js';
import { verifyMade } from '../../../support/verify-made.js';
import { describeTree } from '../../archive/trees.js';
import { comparable, documentOf, loseManifest, manifestPath, recordOf, signal, verifyDeep } from './repair-cases.js';
import { asUploadId } from '../../../support/as-upload-id.js';

/** Every record of the store, oldest first. */
export async function recordsOf(base: string): Promise<VersionRecord[]> {
  const reader = fileStore(base);
  const records: VersionRecord[] = [];
  for (const [datasetId, listed] of (await listDatasets(reader)).versions)
    for (const { version } of listed) records.push(await readVersion(reader, { datasetId, version }));
  return records;
}

/** What a restore of a version by its record gives: names, contents, times; or why there is none. */
export async function restoredVersion(base: string, record: VersionRecord): Promise<unknown> {
  const options = { keepSpecialBits: true, manifestSha256: digestsOf(record) };
  try {
    const { failed, out } = await restoreFrom(fileStore(base), record.uploadId, options);
    return failed.length > 0 ? { failed } : describeTree(out);
  } catch (error) {
    return { failed: String(error) };
  }
}

/** Restores every version; `verify` must say the same of each as the restore. */
export async function everyVersion(base: string): Promise<Map<number, unknown>> {
  const found = new Map<number, unknown>();
  for (const record of await recordsOf(base)) {
    const restored = await restoredVersion(base, record);
    const isRestored = !(typeof restored === 'object' && restored !== null && 'failed' in restored);
    const { ok } = await verifyDeep(base, record.uploadId);
    if (ok !== isRestored)
      throw new Error(`version ${record.version}: verify says ${ok}, restore ${JSON.stringify(restored)}`);
    found.set(record.version, restored);
  }
  return found;
}

/** A cache with the manifests of all versions, as the computer that wrote them has. */
export async function filledCache(base: string): Promise<ManifestCache> {
  const kept = new Map<string, Buffer>();
  const cache: ManifestCache = {
    get: (sha256) => {
      const bytes = kept.get(sha256);
      return Promise.resolve(bytes === undefined ? undefined : { bytes });
    },
    put: (sha256, { bytes }) => Promise.resolve(void kept.set(sha256, bytes)),
  };
  const reader = fileStore(base);
  for (const record of await recordsOf(base)) {
    const newest = await loadExpected(reader, record.uploadId, digestsOf(record), { cache, signal });
    await loadChain(reader, newest, { cache, signal });
  }
  return cache;
}

/** Makes of an upload what a resume under a new id leaves: its chunks in the old folder, everything else in the new one. */
export async function resumedUnderNewId(base: string, oldId: string, newId: string): Promise<void> {
  const record = await recordOf(base, oldId);
  const document = documentOf(base, oldId);
  document['uploadId'] = newId;
  for (const chunk of document.chunks) if (!chunk.key.startsWith('../')) chunk.key = `../${oldId}/${chunk.key}`;
  const { files, chunks, ...head } = document;
  const lines = (list: readonly unknown[]): string => list.map((item) => JSON.stringify(item)).join(',\n');
  const start = JSON.stringify(head).slice(0, -1);
  const text = `${start},"chunks":[\n${lines(chunks)}\n],"files":[\n${lines(files)}\n]}\n`;
  const bytes = gzipSync(text);
  mkdirSync(join(base, 'uploads', newId));
  writeFileSync(manifestPath(base, newId), bytes);
  loseManifest(base, oldId);
  const { digest: _digest, ...rest } = record;
  const manifestKey = `uploads/${newId}/manifest.json.gz`;
  const moved = { ...rest, uploadId: asUploadId(newId), manifestKey, manifestSha256: hash('sha256', bytes, 'hex') };
  writeFileSync(
    join(base, recordKey({ datasetId: record.datasetId, version: record.version })),
    encodeVersionRecord(moved),
  );
}

/** What readers get of every version by its record, without its content; `verify` must say the same of each. */
export async function everyView(base: string): Promise<Map<number, unknown>> {
  const found = new Map<number, unknown>();
  const reader = fileStore(base);
  for (const record of await recordsOf(base)) {
    const { uploadId, version } = record;
    const entries: Entry[] = [];
    const view = await readView(reader, {
      uploadId,
      sha256: digestsOf(record),
      onEntry: (entry) => entries.push(entry),
    })
      .then(() => comparable(entries))
      .catch((error: unknown) => ({ failed: String(error) }));
    const verified = verifyMade(reader, uploadId, { mode: 'default' });
    const { ok, errors } = await verified.catch((error: unknown) => ({ ok: false, errors: [String(error)] }));
    if (ok !== Array.isArray(view))
      throw new Error(`version ${version}: verify says ${JSON.stringify(errors)}, a reader ${JSON.stringify(view)}`);
    found.set(version, view);
  }
  return found;
}

/** Versions that cannot be read. */
export const unreadable = (views: ReadonlyMap<number, unknown>): number[] =>
  [...views].flatMap(([version, view]) => (Array.isArray(view) ? [] : [version]));
