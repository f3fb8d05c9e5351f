// Puts a rebuilt manifest in its place (commit protocol, rule 5): written beside and read back, the damaged one copied
// away, the record made to name both digests, the swap, and the record with the new digest alone. Broken off anywhere,
// running the repair again comes to the same end.
import { hash } from 'node:crypto';
import { putOnce } from '../archive/commit/put-once.js';
import { changeRecord, type RecordChange } from '../dataset/change-record.js';
import { integrityError } from '../errors.js';
import type { EncodedManifest } from '../manifest/manifest-writer.js';
import { manifestKeyOf } from '../manifest/open-manifest.js';
import type { Totals } from '../manifest/manifest-types.js';
import type { ObjectReader, ObjectStore } from '../object-store/object-store.js';
import { readAll } from '../object-store/read-content.js';
import { readCurrentManifest } from './current-manifest.js';
import type { FoundRecord } from './find-record.js';

export interface SwapOptions {
  readonly store: ObjectStore;
  readonly uploadId: string;
  readonly manifest: EncodedManifest;
  /** What is there now. */
  readonly replaced: { readonly bytes: Buffer; readonly sha256: string } | undefined;
  readonly record: FoundRecord | undefined;
  /** Of the effective view, for the record. */
  readonly totals: Totals;
  readonly signal: AbortSignal;
}

const GZIP = 'application/gzip';
const shortDigest = (sha256: string): string => sha256.slice(0, 8);

/** Below the base. */
export const backupKeyOf = (uploadId: string, sha256: string): string =>
  `${manifestKeyOf(uploadId)}.damaged-${shortDigest(sha256)}.bak`;

const besideKeyOf = (uploadId: string, sha256: string): string =>
  `${manifestKeyOf(uploadId)}.repair-${shortDigest(sha256)}`;

/** Returns the key of the copy of the replaced manifest. @throws integrity, conflict, and what the store says */
export async function swapManifest(options: SwapOptions): Promise<string | undefined> {
  const { store, uploadId, manifest, replaced, record, totals, signal } = options;
  const key = manifestKeyOf(uploadId);
  const beside = besideKeyOf(uploadId, manifest.sha256);
  const once = { contentType: GZIP, exclusive: true, signal };
  await putOnce(store, beside, manifest.bytes, { ...once, sha256: manifest.sha256 });
  await verifyBeside(options, beside);
  const backup = replaced === undefined ? undefined : backupKeyOf(uploadId, replaced.sha256);
  if (replaced !== undefined && backup !== undefined)
    await putOnce(store, backup, replaced.bytes, { ...once, sha256: replaced.sha256 });
  const expected = record === undefined ? [] : [record.record.manifestSha256];
  if (record !== undefined)
    await changeRecord(store, record, { replacementSha256: manifest.sha256 }, { expected, signal });
  const { bytes, sha256 } = manifest;
  // Where there is none, one that another repair has just written is not overwritten.
  if (replaced === undefined) await putOnce(store, key, bytes, { ...once, sha256 });
  else await store.put(key, bytes, { contentType: GZIP, sha256, signal });
  await compare(store, key, sha256, signal);
  await finishRecord(store, record, { manifestSha256: sha256, totals }, signal);
  await removeBeside(store, uploadId, signal);
  return backup;
}

/** Makes the record name this manifest alone. */
export async function finishRecord(
  store: ObjectStore,
  record: FoundRecord | undefined,
  change: RecordChange & { readonly manifestSha256: string },
  signal: AbortSignal,
): Promise<void> {
  if (record === undefined) return;
  const expected = [record.record.manifestSha256, change.manifestSha256];
  await changeRecord(store, record, change, { expected, signal });
}

/** Removes rebuilt manifests that were written beside. */
export async function removeBeside(store: ObjectStore, uploadId: string, signal: AbortSignal): Promise<void> {
  const keys: string[] = [];
  for await (const page of store.list({ prefix: `${manifestKeyOf(uploadId)}.repair-`, signal }))
    keys.push(...page.objects.map(({ key }) => key));
  // The store says what it will not delete; the repair is done all the same, and a later one tries again.
  await store.delete(keys, signal);
}

/** Reads the manifest that was written beside as if it were in its place. */
async function verifyBeside({ store, uploadId, manifest, signal }: SwapOptions, beside: string): Promise<void> {
  const key = manifestKeyOf(uploadId);
  const get: ObjectReader['get'] = (asked, options) => store.get(asked === key ? beside : asked, options);
  const moved: ObjectReader = { ...store, get };
  const read = await readCurrentManifest(moved, uploadId, signal);
  if (read.state === 'sound' && read.sha256 === manifest.sha256) return;
  const reason = read.state === 'missing' ? 'it is not there' : read.reason || 'its bytes are others';
  throw integrityError(`the rebuilt manifest ${beside} does not read back: ${reason}`, {
    hint: 'nothing was replaced; run the repair again',
  });
}

async function compare(store: ObjectStore, key: string, sha256: string, signal: AbortSignal): Promise<void> {
  const content = await store.get(key, { signal });
  const found = hash('sha256', await readAll(content, content.sizeBytes), 'hex');
  if (found !== sha256)
    throw integrityError(`${key} is not the manifest that was just written: its SHA-256 is ${found}`);
}
