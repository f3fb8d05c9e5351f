// The manifests that this computer keeps (dataset/cache) as a store to read from: that of an upload and all that it builds on.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ManifestCache, openManifestCache } from '../dataset/cache/manifest-cache.js';
import { keyOf } from '../format/manifest/load-segments.js';
import { loadAlone } from '../format/manifest/loaded-manifest.js';
import { LOCATOR_BYTES, locatorOf, manifestIndexOf } from '../format/manifest/manifest-index.js';
import type { ManifestHead, ManifestIndex } from '../format/manifest/manifest-types.js';
import { ArchiverError } from '../platform/failures/errors.js';
import { FileReader } from '../store/file/file-reader.js';
import { manifestKeyOf, type UploadId } from '../store/ids/upload-id.js';
import type { ObjectContent, ObjectReader } from '../store/object-store.js';

/** Stored bytes of manifests that are read whole, together: of some 50,000 entries. */
const MOST_WHOLE_BYTES = 2 * 1024 * 1024;
/** Bytes of the beginning of one with an index. */
const MOST_BEGINNING_BYTES = 1024 * 1024;
/** As readers of a chain. */
const MOST_LINKS = 16;

export interface KeptChain {
  readonly reader: ObjectReader;
  /** Of the newest manifest; undefined for one without an index, or that is kept decrypted. */
  readonly index: ManifestIndex | undefined;
  /** Set when a manifest is kept decrypted: digests are those of what is stored. */
  readonly cache?: ManifestCache;
}

/** Finds the manifest of an upload, and all that it builds on; undefined where one is missing, or too long for a shell that waits. */
export async function keptChain(
  folder: string,
  url: string,
  newest: { readonly uploadId: UploadId; readonly sha256: string },
): Promise<KeptChain | undefined> {
  const names = new Map<string, string>();
  const opened = new Map<string, Buffer>();
  let wholeBytes = 0;
  let index: ManifestIndex | undefined;
  let link: { readonly uploadId: UploadId; readonly sha256: string } | undefined = newest;
  for (let links = 0; link !== undefined; links++) {
    const { uploadId, sha256 } = link;
    const kept = await openKept(folder, sha256);
    if (kept === undefined || links > MOST_LINKS) return undefined;
    if (kept.index === undefined) wholeBytes += kept.bytes.byteLength;
    if (wholeBytes > MOST_WHOLE_BYTES) return undefined;
    const key = manifestKeyOf(uploadId);
    names.set(key, nameOf(sha256));
    if (kept.isDecrypted) opened.set(key, kept.bytes);
    const { head } = await loadAlone(uploadId, kept, sha256);
    for (const [segment, digest] of segmentsOf(head)) names.set(segment, nameOf(digest));
    if (links === 0) ({ index } = kept);
    link = head.previous;
  }
  const reader = readerOf(url, folder, { names, opened });
  return { reader, index, ...(opened.size > 0 && { cache: openManifestCache({ folder, limitBytes: 0 }) }) };
}

const nameOf = (sha256: string): string => `${sha256}.json.gz`;

const segmentsOf = ({ uploadId, segments = [] }: ManifestHead): readonly (readonly [string, string])[] =>
  segments.map((place) => [keyOf(uploadId, place), place.sha256]);

interface Kept {
  /** All of it, or its beginning. */
  readonly bytes: Buffer;
  readonly index: ManifestIndex | undefined;
  readonly isDecrypted: boolean;
}

const BRACE = 0x7b;

async function openKept(folder: string, sha256: string): Promise<Kept | undefined> {
  const handle = await open(join(folder, nameOf(sha256)), 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const read = async (length: number): Promise<Buffer> =>
      (await handle.read(Buffer.alloc(length), 0, length, 0)).buffer.subarray(0, length);
    const { size } = await handle.stat();
    const first = await read(Math.min(size, LOCATOR_BYTES));
    const located = locatorOf(first)?.size;
    const beginning =
      located === undefined || located > Math.min(size, MOST_BEGINNING_BYTES) ? undefined : await read(located);
    const index = beginning && manifestIndexOf(beginning);
    if (beginning !== undefined && index !== undefined) return { bytes: beginning, index, isDecrypted: false };
    if (size > MOST_WHOLE_BYTES) return undefined;
    if (first[0] !== BRACE) return { bytes: await read(size), index: undefined, isDecrypted: false };
  } finally {
    await handle.close();
  }
  const found = await openManifestCache({ folder, limitBytes: 0 }).get(sha256);
  return found && { bytes: found.bytes, index: undefined, isDecrypted: true };
}

interface Found {
  /** Names of files by key. */
  readonly names: ReadonlyMap<string, string>;
  /** What is kept decrypted, by key. */
  readonly opened: ReadonlyMap<string, Buffer>;
}

function readerOf(url: string, folder: string, { names, opened }: Found): ObjectReader {
  const files = new FileReader(folder);
  const nameAt = (key: string): string => {
    const name = names.get(key);
    if (name === undefined) throw new ArchiverError('not-found', `${key} is not kept on this computer`);
    return name;
  };
  return {
    url,
    get: async (key, options) => contentOf(opened.get(key)) ?? (await files.get(nameAt(key), options)),
    head: async (key) => await files.head(nameAt(key)),
    list() {
      throw new ArchiverError('unsupported', 'what is kept of manifests has no listing');
    },
  };
}

/** Manifests that are kept decrypted have no index that anybody names: they are read whole. */
function contentOf(bytes: Buffer | undefined): ObjectContent | undefined {
  const size = bytes?.byteLength ?? 0;
  return bytes && { sizeBytes: size, totalBytes: size, start: 0, etag: '', body: Readable.from([bytes]) };
}
