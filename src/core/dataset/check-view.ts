// Checks whether the store has all of a view (rules.md#whole-view): every manifest of its chain unchanged, and every chunk that the view
// uses with its size. One LIST for each folder. Chunks are not read; a manifest is, when its ETag cannot tell that it is the one that is
// remembered. Marks do not count: what the newest version needs is never swept.
import { hash } from 'node:crypto';
import { integrityError, isArchiverError } from '../platform/failures/errors.js';
import { forEachLimit } from '../platform/limits/for-each-limit.js';
import { type LoadedManifest, MAX_LOADED_BYTES } from '../format/manifest/loaded-manifest.js';
import { openManifest } from '../format/manifest/open-manifest.js';
import { readAll } from '../store/read-content.js';
import { chunkKey } from '../format/manifest/manifest-check.js';
import type { VersionRecord } from '../format/manifest/manifest-types.js';
import { folderOfKey, uploadFolder } from '../store/ids/upload-id.js';
import { ifAllowed } from '../store/abilities.js';
import type { ObjectReader } from '../store/object-store.js';
import { isListedSame, asListed, type ListedObject } from './cache/check-cache.js';
import { summarize } from './chain/summarize.js';
import { openView, type View } from './chain/view.js';
import { digestsOf } from './chain/version-view.js';

const FOLDERS_AT_ONCE = 8;

export interface ViewCheck {
  /** Keys of objects that are missing or damaged, manifests first. */
  readonly broken: readonly string[];
  /** True when one of them is a manifest. */
  readonly isChainBroken: boolean;
  /** The manifests that are whole, as the store lists them, by digest. */
  readonly manifests: ReadonlyMap<string, ListedObject>;
  /** Start of the check by the wall clock, in milliseconds. */
  readonly lookedAtMs: number;
}

export interface CheckViewOptions {
  /** Digests of the manifests of the chain that came from this computer's memory: the others have just been read from the store. */
  readonly recalled: ReadonlySet<string>;
  /** The manifests as the store listed them when they were known to be whole, by digest. */
  readonly known?: ReadonlyMap<string, ListedObject> | undefined;
  /** Set when manifests that match `known` were read less than a day ago. */
  readonly isKnownLately?: boolean | undefined;
  readonly signal: AbortSignal;
}

/**
 * Checks everything that a view needs. Returns undefined for a writer without permission to list some of it. @throws what the store throws
 */
export async function checkView(
  reader: ObjectReader,
  view: View,
  options: CheckViewOptions,
): Promise<ViewCheck | undefined> {
  const lookedAtMs = Date.now();
  const keys = view.chunks.map(({ key }) => chunkKey(view.head.uploadId, key) ?? `uploads//${key}`);
  const seen = await findAll(reader, view, keys, options.signal);
  if (seen === undefined) return undefined;
  const damaged: string[] = [];
  for (const link of view.chain) {
    const found = seen.manifests.get(link.sha256);
    if (found !== undefined && (await isManifestUnchanged(reader, link, found, options))) continue;
    seen.manifests.delete(link.sha256);
    damaged.push(link.key);
  }
  damaged.push(...(await damagedSegments(reader, view, seen.segments, options)));
  const lost = seen.isThere.every((flag) => flag === 1) ? [] : await lostChunks(view, seen.isThere);
  const broken = [...damaged, ...lost.map((position) => keys[position] ?? '')];
  return { broken, isChainBroken: damaged.length > 0, manifests: seen.manifests, lookedAtMs };
}

/**
 * Refuses to report a version that the store does not have all of. Does nothing when the caller may not look.
 * @throws integrity; what the store throws
 */
export async function assertWhole(reader: ObjectReader, record: VersionRecord, signal: AbortSignal): Promise<void> {
  const { version, datasetId, uploadId, manifestKey } = record;
  const open = { uploadId, sha256: digestsOf(record), signal };
  const view = await ifAllowed(reader, 'read', manifestKey, () => openView(reader, open));
  const look = view && (await checkView(reader, view, { recalled: new Set(), signal }));
  const [first] = look?.broken ?? [];
  if (first === undefined) return;
  throw integrityError(`version ${version} of dataset ${datasetId} is not whole: ${first} is missing or damaged`, {
    hint: 'start it again with --force-restart: everything is sent again',
  });
}

/** Keys of segments that are missing or were changed. */
async function damagedSegments(
  reader: ObjectReader,
  { chain }: View,
  found: ReadonlyMap<string, ListedObject>,
  options: CheckViewOptions,
): Promise<readonly string[]> {
  const damaged: string[] = [];
  await forEachLimit(
    chain.flatMap(({ segments = [] }) => segments),
    FOLDERS_AT_ONCE,
    async (segment) => {
      const { key, place } = segment;
      const listed = found.get(key);
      const isThere = listed?.sizeBytes === place.size;
      const isRecalled = options.recalled.has(place.sha256);
      const link = { key, sha256: place.sha256, bytes: isThere && isRecalled ? await segment.read() : NONE };
      if (!isThere || !(await isManifestUnchanged(reader, link, listed, options))) damaged.push(key);
    },
  );
  return damaged.sort();
}

const NONE = Buffer.alloc(0);

interface Seen {
  /** 1 for each chunk of the view that exists with its size. */
  readonly isThere: Uint8Array;
  /** The object found at the key of each manifest, by digest. */
  readonly manifests: Map<string, ListedObject>;
  /** Segments by key. */
  readonly segments: Map<string, ListedObject>;
}

/** Lists the folders of a view; `keys` are those of its chunks. */
async function findAll(
  reader: ObjectReader,
  { chain, chunks }: View,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<Seen | undefined> {
  const positions = new Map(keys.map((key, position) => [key, position]));
  const links = new Map(chain.map(({ key, sha256 }) => [key, sha256]));
  const segments = new Set(chain.flatMap(({ segments: its = [] }) => its.map(({ key }) => key)));
  const folders = new Set([
    ...chain.map(({ uploadId }) => uploadFolder(uploadId)),
    ...[...keys, ...segments].map(folderOfKey),
  ]);
  const seen: Seen = { isThere: new Uint8Array(keys.length), manifests: new Map(), segments: new Map() };
  let isRefused = false;
  await forEachLimit(folders, FOLDERS_AT_ONCE, async (folder) => {
    const listed = await ifAllowed(reader, 'list', folder, async () => {
      for await (const { objects } of reader.list({ prefix: folder, signal })) {
        for (const object of objects) {
          const { key, sizeBytes } = object;
          const position = positions.get(key);
          if (position !== undefined && chunks[position]?.size === sizeBytes) seen.isThere[position] = 1;
          const sha256 = links.get(key);
          if (sha256 !== undefined) seen.manifests.set(sha256, asListed(object));
          if (segments.has(key)) seen.segments.set(key, asListed(object));
        }
      }
      return true;
    });
    isRefused ||= listed === undefined;
  });
  return isRefused ? undefined : seen;
}

/** Positions of missing chunks that entries refer to: chunks whose entries a later delta has replaced may be gone. */
async function lostChunks(view: View, isThere: Uint8Array): Promise<readonly number[]> {
  const { used } = await summarize(view, () => undefined);
  return [...used.keys()].filter((position) => used[position] === 1 && isThere[position] === 0);
}

/**
 * Checks that the object at the key of a manifest is that manifest; for a writer that may not read, only that it has its size. Takes one
 * GET when its ETag does not tell. @throws what the store throws
 */
export async function isManifestUnchanged(
  reader: ObjectReader,
  link: Pick<LoadedManifest, 'key' | 'sha256' | 'bytes' | 'sealedBy'>,
  found: ListedObject,
  { recalled, known, isKnownLately = false, signal }: CheckViewOptions,
): Promise<boolean> {
  if (!recalled.has(link.sha256)) return true;
  const before = known?.get(link.sha256) ?? asPut(link);
  if (before !== undefined && before.sizeBytes !== found.sizeBytes) return false;
  // The ETag of a file is made from its time and size: it does not show whether the bytes changed.
  if (isListedSame(before, found) && (isKnownLately || !reader.url.startsWith('file:'))) return true;
  try {
    const stored = await ifAllowed(reader, 'read', link.key, async () =>
      readAll(await openManifest(reader, link.key, { signal }), MAX_LOADED_BYTES),
    );
    return stored === undefined || hash('sha256', stored, 'hex') === link.sha256;
  } catch (error) {
    if (isArchiverError(error, 'cold-storage')) return true;
    if (isArchiverError(error, 'not-found', 'integrity')) return false;
    throw error;
  }
}

/**
 * The manifest as most stores list it: the ETag of one plain PUT is an MD5. Undefined when it is encrypted, since only the decrypted bytes
 * are remembered.
 */
const asPut = ({ bytes, sealedBy }: Pick<LoadedManifest, 'bytes' | 'sealedBy'>): ListedObject | undefined =>
  sealedBy === undefined ? { sizeBytes: bytes.length, etag: hash('md5', bytes, 'hex') } : undefined;
