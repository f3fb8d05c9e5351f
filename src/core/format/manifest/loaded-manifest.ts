// A manifest that was read whole, so that its digest is known before its entries are parsed: a link of a chain. The gzipped bytes are kept,
// a tenth of the text, and parsed again each time that the entries are wanted.
import { Readable } from 'node:stream';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { isSealed } from '../encryption/envelope.js';
import { manifestUnsealing } from '../encryption/open-data-key.js';
import { type OpenedBytes, unsealBytes } from '../encryption/unseal-bytes.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { inflateBytes, inflateManifest } from './inflate-manifest.js';
import type { ParsedHead } from './manifest-head-parse.js';
import { ManifestParser, type Line, type ManifestParserOptions } from './manifest-parser.js';
import { manifestIndexOf } from './manifest-index.js';
import type { ManifestIndex, PreviousManifest, SegmentPlace } from './manifest-types.js';
import { type LoadedSegment, loadSegments, type SegmentSource } from './load-segments.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { defined } from '../../platform/defined.js';
import { openManifest } from './open-manifest.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

/** Twenty million entries have about this size. */
export const MAX_LOADED_BYTES = 1024 * 1024 * 1024;

/** Paths between which a range of a manifest is read with few requests. */
export interface Borders {
  /** The first path of each block, or segment, in order. */
  readonly firsts: readonly RawPath[];
  /** Entries from one border to the next, at most. */
  readonly entries: number;
}

export interface LoadedManifest extends ParsedHead {
  readonly uploadId: UploadId;
  /** Key relative to the base. */
  readonly key: string;
  /** Digest of the stored bytes. */
  readonly sha256: string;
  /** Gzipped bytes, decrypted if the stored ones are encrypted; without its segments. */
  readonly bytes: Buffer;
  /** Of a listing in segments, whose chunks `head` then has: the segments, in order. */
  readonly segments?: readonly LoadedSegment[];
  /** Segments that it names and that were left out. */
  readonly leftOut?: readonly SegmentPlace[];
  /** The KMS key that it is encrypted with in the store. */
  readonly sealedBy?: string;
  /** Set when entries that nobody asked for are left out: its totals say more than it has. */
  readonly isPart?: true;
  /** Of a part, where the whole can be divided. */
  readonly borders?: Borders;
}

/** How a delta names the manifest that it builds on. */
export const namedManifest = (uploadId: UploadId, loaded: LoadedManifest | undefined): PreviousManifest => ({
  uploadId,
  sha256: loaded?.sha256 ?? '',
  ...defined({
    index: loaded === undefined || loaded.sealedBy !== undefined ? undefined : indexOf(loaded),
  }),
});

/** Where the index of a manifest is: for one with segments, all of it. Undefined for one without an index. */
export const indexOf = ({
  bytes,
  sha256,
  segments,
}: {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly segments?: object;
}): ManifestIndex | undefined => (segments === undefined ? manifestIndexOf(bytes) : { size: bytes.length, sha256 });

/** Fetches the manifest of an upload as it is stored. @throws not-found, access-denied, integrity when it is too large */
export async function fetchManifest(reader: ObjectReader, uploadId: UploadId, signal?: AbortSignal): Promise<Buffer> {
  const key = manifestKeyOf(uploadId);
  const content = await openManifest(reader, key, { signal });
  try {
    return await readAll(content, MAX_LOADED_BYTES);
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    throw integrityError(`the manifest ${key}: ${error.message}`, { cause: error });
  }
}

/** Decrypts a stored manifest if it is encrypted. @throws access-denied, integrity, unsupported */
export async function openStored(
  reader: ObjectReader,
  uploadId: UploadId,
  stored: Buffer,
  signal?: AbortSignal,
): Promise<OpenedBytes> {
  const what = `the manifest ${manifestKeyOf(uploadId)}`;
  return await unsealBytes(stored, manifestUnsealing(reader, uploadId, what, signal));
}

/**
 * Makes a link from an opened manifest; `sha256` is the digest of the stored bytes. `source` has its segments, if there are any.
 * @throws integrity, unsupported, what reading segments throws
 */
export async function loadOpened(
  uploadId: UploadId,
  opened: OpenedBytes,
  sha256: string,
  source?: SegmentSource,
): Promise<LoadedManifest> {
  return await withSegments(await loadAlone(uploadId, opened, sha256), source);
}

/** The same without its segments: of a listing that has some, neither entries nor chunks are known then. @throws integrity, unsupported */
export async function loadAlone(
  uploadId: UploadId,
  { bytes, sealedBy }: OpenedBytes,
  sha256: string,
): Promise<LoadedManifest> {
  const key = manifestKeyOf(uploadId);
  if (isSealed(bytes))
    throw new ArchiverError('unsupported', `the manifest ${key} is encrypted, and is not decrypted for this`);
  const parts = { uploadId, key, sha256, bytes, ...(sealedBy === undefined ? {} : { sealedBy }) };
  const parser = new ManifestParser({ key, uploadId, onLine: () => undefined });
  parser.skipEntries();
  for await (const piece of inflateBytes(bytes, { what: `the manifest ${key}` })) {
    parser.push(piece);
    if (parser.head !== undefined) return { ...parser.head, ...parts };
  }
  return { ...parser.finish(), ...parts };
}

/** A manifest with its segments loaded. @throws what reading segments throws */
export async function withSegments(
  loaded: Omit<LoadedManifest, 'segments'>,
  source: SegmentSource | undefined,
): Promise<LoadedManifest> {
  if (loaded.head.segments === undefined || source?.segments === 'none') return loaded;
  if (source === undefined) throw notLoaded(loaded.key);
  const { isWanted } = source;
  const leftOut = isWanted === undefined ? undefined : loaded.head.segments.filter((place) => !isWanted(place));
  const { chunks, segments } = await loadSegments(loaded.head, source);
  const whole = { ...loaded, head: { ...loaded.head, chunks }, segments, ...defined({ leftOut }) };
  if (source.ranges === undefined) return whole;
  const firsts = loaded.head.segments.map(({ first }) => first);
  const entries = loaded.head.segments.reduce((most, { counts }) => Math.max(most, counts.entries), 0);
  return { ...whole, isPart: true, borders: { firsts, entries } };
}

const notLoaded = (key: string): ArchiverError =>
  new ArchiverError('internal', `the segments of ${key} were not loaded`);

export type ReadLoadedOptions = Pick<ManifestParserOptions, 'needles' | 'ranges' | 'withoutNames'>;

/** Lines of the manifest in the order of the file, in batches. @throws integrity, what reading segments throws */
export async function* readLoaded(
  loaded: LoadedManifest,
  options: ReadLoadedOptions = {},
): AsyncGenerator<readonly Line[]> {
  for await (const { part, bytes } of partsOf(loaded)) yield* linesIn(part, bytes, options);
}

/** Whole lines as they are, of a manifest or a segment of it. */
export interface LinesText {
  readonly lines: Buffer;
  /** For all lines of the segment: parses those that are to be parsed, and counts the others. */
  readonly parser: ManifestParser;
  /** Positions in the chunks of the manifest, of those that the lines refer to; undefined where they are the same. */
  readonly positions: Uint32Array | undefined;
  /** Of the last text of a segment, which has no lines: to be called when all lines before were counted. @throws integrity */
  readonly finish?: () => void;
}

/** The lines of the manifest as they are; texts may be asked for before those before are counted. @throws as `readLoaded` */
export async function* textsOf(loaded: LoadedManifest, options: ReadLoadedOptions = {}): AsyncGenerator<LinesText> {
  for await (const { part, bytes } of partsOf(loaded)) {
    let texts: Buffer[] = [];
    const onText = (lines: Buffer): void => void texts.push(lines);
    const parser = parserOf(part, { ...options, onText, onLine: () => undefined });
    const { positions } = part;
    for await (const piece of piecesOf(part, bytes)) {
      parser.push(piece);
      for (const lines of texts) yield { lines, parser, positions };
      texts = [];
    }
    const finish = (): void => {
      refuseOtherFirst(part, parser, options);
      parser.finish();
    };
    yield { lines: Buffer.alloc(0), parser, positions, finish };
  }
}

/** What of a manifest has lines: itself, or one of its segments. */
interface Part extends Pick<LoadedManifest, 'head' | 'document' | 'uploadId' | 'key'> {
  readonly isPart?: boolean | undefined;
  readonly positions?: Uint32Array;
  /** The path that it has to begin with. */
  readonly first?: RawPath;
}

/** The parts of a manifest with their bytes; the next ones are fetched meanwhile. @throws what reading segments throws */
async function* partsOf(loaded: LoadedManifest): AsyncGenerator<{ readonly part: Part; readonly bytes: Buffer }> {
  const { segments } = loaded;
  if (segments === undefined) {
    if (loaded.head.segments !== undefined) throw notLoaded(loaded.key);
    yield { part: loaded, bytes: loaded.bytes };
    return;
  }
  let next = segments[0]?.read();
  for (const [position, segment] of segments.entries()) {
    const bytes = (await next) ?? Buffer.alloc(0);
    next = segments[position + 1]?.read();
    next?.catch(() => undefined); // awaited in the next round
    yield { part: partOf(loaded, segment), bytes };
  }
}

function partOf(
  { head, document, uploadId }: Pick<LoadedManifest, 'head' | 'document' | 'uploadId'>,
  { place, key, positions, isPart }: LoadedSegment,
): Part {
  const its = { ...head, totals: { ...head.totals, entries: place.counts.entries } };
  return { head: its, document, uploadId, key, positions, isPart, ...(isPart ? {} : { first: place.first }) };
}

/** Lines of a segment of this manifest, `bytes` as `read` gives them. @throws integrity */
export const linesOfSegment = (
  loaded: Pick<LoadedManifest, 'head' | 'document' | 'uploadId'>,
  segment: LoadedSegment,
  bytes: Buffer,
  options: ReadLoadedOptions,
): AsyncGenerator<readonly Line[]> => linesIn(partOf(loaded, segment), bytes, options);

async function* linesIn(part: Part, bytes: Buffer, options: ReadLoadedOptions): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = [];
  const parser = parserOf(part, { ...options, onLine: (line) => batch.push(line) });
  for await (const piece of piecesOf(part, bytes)) {
    parser.push(piece);
    if (batch.length === 0) continue;
    refuseOtherFirst(part, parser, options);
    yield batch;
    batch = [];
  }
  parser.finish();
}

const parserOf = (
  { head, document, uploadId, key, isPart, positions }: Part,
  options: ReadLoadedOptions & Pick<ManifestParserOptions, 'onLine' | 'onText'>,
): ManifestParser => new ManifestParser({ ...options, key, uploadId, isPart, positions, head: { head, document } });

const piecesOf = ({ key }: Part, bytes: Buffer): AsyncGenerator<Buffer> =>
  inflateManifest(Readable.from([bytes]), { what: `the manifest ${key}` });

/** @throws integrity for a segment that begins with another path than its manifest says */
function refuseOtherFirst({ key, first }: Part, parser: ManifestParser, { needles }: ReadLoadedOptions): void {
  if (first !== undefined && needles === undefined && (parser.first ?? first) !== first)
    throw integrityError(`the segment ${key} does not begin with the path that its manifest names`);
}
