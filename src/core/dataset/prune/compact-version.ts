// Makes the manifest of a kept version a full listing, so that the versions before it may go. Commit protocol, rule 5: the
// new manifest lies beside the old one and is verified entry by entry, the record names both digests, the old bytes are
// put aside, the new ones take their place and are read back, and the record names the new digest alone. Readers take
// either in between. Each step may be the last one of a killed process, and two prunes may do the same at once: the object
// beside the manifest is written once, so that whoever comes second goes on with those bytes.
import { hash } from 'node:crypto';
import { ArchiverError, integrityError, isArchiverError } from '../../errors.js';
import { composeManifest } from '../../manifest/compose-manifest.js';
import { fetchManifest, MAX_LOADED_BYTES } from '../../manifest/loaded-manifest.js';
import type { ManifestHead } from '../../manifest/manifest-types.js';
import type { EncodedManifest } from '../../manifest/manifest-writer.js';
import { manifestKeyOf } from '../../manifest/open-manifest.js';
import type { ObjectReader, ObjectStore } from '../../object-store/object-store.js';
import { readAll } from '../../object-store/read-content.js';
import { compactView } from '../compact-view.js';
import type { MergedView } from '../merge-levels.js';
import { summarize, type Summary } from '../summarize.js';
import type { ParsedRecord } from '../version-record-parse.js';
import { openVersion } from '../version-view.js';
import { openView, type View } from '../view.js';
import { changeRecord } from '../change-record.js';
import { assertSameView } from './same-view.js';

/** Where the new manifest lies until it has taken its place. */
export const compactKeyOf = (uploadId: string): string => `${manifestKeyOf(uploadId)}.compact`;
/** Where the old manifest lies until the prune is done. */
export const backupKeyOf = (uploadId: string): string => `${manifestKeyOf(uploadId)}.pre-compact.bak`;

/** Compacts the version of this record. @throws conflict, integrity, and what the store throws; the version stays readable */
export async function compactVersion(store: ObjectStore, version: ParsedRecord, signal: AbortSignal): Promise<void> {
  const { uploadId } = version.record;
  const view = await openVersion(store, version.record, signal);
  const [newest] = view.chain;
  // Swapped by a prune that was killed before it changed the record, which is done for every version afterwards.
  if (newest === undefined || view.head.listing === 'full') return;
  const sealed = view.chain.find(({ sealedBy }) => sealedBy !== undefined);
  if (sealed !== undefined)
    throw new ArchiverError(
      'unsupported',
      `${sealed.key} is encrypted, and its content must not be written unencrypted`,
    );
  const summary = await summarize(view);
  const compacted = compactView(view, summary.used);
  const head = headOf(view, newest.sha256, summary, compacted);
  const job = { store, view, head, compacted, signal };
  const { bytes, sha256 } = await agree(job, await composeManifest(head, compacted.entries()));
  const before = version.record.manifestSha256;
  await changeRecord(store, version, { replacementSha256: sha256 }, { expected: [before], signal });
  await putAside(store, uploadId, newest.bytes, signal);
  const key = manifestKeyOf(uploadId);
  await store.put(key, bytes, { contentType: 'application/gzip', sha256, signal });
  if (hash('sha256', await fetchManifest(store, uploadId, signal), 'hex') !== sha256)
    throw integrityError(`the store gives ${key} back differently from how it was written`);
  const { totals } = head;
  const change = { manifestSha256: sha256, listing: 'full', totals } as const;
  await changeRecord(store, version, change, { expected: [before, sha256], signal });
}

function headOf(view: View, sha256: string, { totals, shards }: Summary, { chunks }: MergedView): ManifestHead {
  const { previous: _previous, chain: _chain, view: _view, replaces = [], ...rest } = view.head;
  return {
    ...rest,
    listing: 'full',
    replaces: [...replaces, sha256],
    totals: { ...totals, skipped: view.totals.skipped },
    shards,
    chunks,
  };
}

interface Job {
  readonly store: ObjectStore;
  readonly view: View;
  readonly head: ManifestHead;
  readonly compacted: MergedView;
  readonly signal: AbortSignal;
}

/** Writes the new manifest beside the old one, or takes the one that is there already. What it returns is verified. */
async function agree(job: Job, encoded: EncodedManifest): Promise<EncodedManifest> {
  const { store, head, signal } = job;
  const key = compactKeyOf(head.uploadId);
  const options = { contentType: 'application/gzip', sha256: encoded.sha256, ifAbsent: true, signal };
  try {
    await store.put(key, encoded.bytes, options);
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    const found = await readBeside(job);
    const problem = await problemOf(job, found);
    if (problem === undefined) return found;
    // Nobody can be going on with it: to everybody it is as wrong as to us.
    const [failure] = await store.delete([key], signal);
    if (failure !== undefined) throw new ArchiverError('store', `cannot delete ${key}: ${failure.reason}`);
    await store.put(key, encoded.bytes, options);
  }
  const found = await readBeside(job);
  const problem = await problemOf(job, found);
  if (problem !== undefined) throw problem;
  return found;
}

async function readBeside({ store, head, signal }: Job): Promise<EncodedManifest> {
  const key = compactKeyOf(head.uploadId);
  try {
    const bytes = await readAll(await store.get(key, { signal }), MAX_LOADED_BYTES);
    return { bytes, sha256: hash('sha256', bytes, 'hex') };
  } catch (error) {
    if (!isArchiverError(error, 'not-found')) throw error;
    throw new ArchiverError('conflict', `another prune has just finished with ${key}`, {
      cause: error,
      hint: 'run the same command again',
    });
  }
}

/** Why the manifest beside the old one cannot take its place. */
async function problemOf({ store, head, compacted, signal }: Job, found: EncodedManifest): Promise<Error | undefined> {
  const { uploadId } = head;
  const key = compactKeyOf(uploadId);
  try {
    const view = await openView(instead(store, uploadId), { uploadId, sha256: found.sha256, signal });
    const replaces = view.head.replaces ?? [];
    const isFull = view.head.listing === 'full' && head.replaces?.every((digest) => replaces.includes(digest));
    if (isFull !== true || JSON.stringify(view.totals) !== JSON.stringify(head.totals))
      return integrityError(`${key} is not the full listing that was to be written`);
    await assertSameView({ uploadId, ...compacted }, { ...view, uploadId }, key);
    return undefined;
  } catch (error) {
    if (isArchiverError(error, 'integrity') || isArchiverError(error, 'unsupported')) return error;
    throw error;
  }
}

/** The store as it will be when the new manifest has taken its place. */
function instead(store: ObjectStore, uploadId: string): ObjectReader {
  const key = manifestKeyOf(uploadId);
  return {
    url: store.url,
    get: (asked, options) => store.get(asked === key ? compactKeyOf(uploadId) : asked, options),
    head: (asked, signal) => store.head(asked === key ? compactKeyOf(uploadId) : asked, signal),
    list: (options) => store.list(options),
  };
}

/** Keeps the old manifest until the end. A copy that is there already is left alone when it is the same. */
async function putAside(store: ObjectStore, uploadId: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
  const key = backupKeyOf(uploadId);
  const sha256 = hash('sha256', bytes, 'hex');
  const options = { contentType: 'application/gzip', sha256, signal };
  try {
    await store.put(key, bytes, { ...options, ifAbsent: true });
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    const there = await readAll(await store.get(key, { signal }), MAX_LOADED_BYTES);
    // The manifest that was just read is the one of the record, so an other copy is older than the record.
    if (hash('sha256', there, 'hex') !== sha256) await store.put(key, bytes, options);
  }
}
