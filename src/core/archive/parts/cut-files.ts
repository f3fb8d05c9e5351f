// The files that several parts of a plan have packed, each a share: the entry of each, in a segment of the plan's own, made of what the
// results that count say. A file of which anybody had to leave out a piece is left out.
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { summarize, type Summary } from '../../dataset/chain/summarize.js';
import { addEntries } from '../../format/manifest/compose-manifest.js';
import { loadSegments, type LoadedSegments } from '../../format/manifest/load-segments.js';
import { linesOfSegment } from '../../format/manifest/loaded-manifest.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord, Entry, ManifestHead, SegmentPlace } from '../../format/manifest/manifest-types.js';
import { type EncodedSegment, SegmentTexts } from '../../format/manifest/segment-texts.js';
import type { Share } from '../../format/parts/share-documents.js';
import { integrityError } from '../../platform/failures/errors.js';
import { displayPath, rawFromBase64 } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { WholePart } from './check-attempt.js';
import type { ReadPlan } from './read-plan.js';

export interface CutFiles extends Pick<Summary, 'totals' | 'shards'> {
  /** By the part that has the last piece, of whose other paths none comes before the file's. */
  readonly segments: ReadonlyMap<number, EncodedSegment>;
  /** Keys are relative to the folder of the plan. */
  readonly chunks: readonly ChunkRecord[];
}

/** A file of which all pieces are stored. */
interface CutFile {
  /** The part with its last piece. */
  readonly part: number;
  readonly name: string;
  /** Of its shares, in order; keys are relative to the folder of the plan. */
  readonly places: readonly SegmentPlace[];
}

interface CutFilesInput {
  readonly reader: ObjectReader;
  /** The head of the version. */
  readonly head: ManifestHead;
  readonly signal: AbortSignal;
}

/** Makes the entries of the files of which every part has stored its share. @throws integrity; what reading the shares throws */
export async function composeCutFiles(
  input: CutFilesInput,
  plan: ReadPlan,
  parts: readonly WholePart[],
): Promise<CutFiles> {
  const { uploadId } = plan;
  const files = wholeFiles(plan, parts);
  const places = files.flatMap((file) => file.places);
  const { reader, signal } = input;
  const loaded = await loadSegments({ uploadId, segments: places, chunks: [] }, { reader, signal });
  const entries = await joined(input, files, loaded);
  const { chunks } = loaded;
  const mentions = async function* (): AsyncGenerator<readonly Entry[]> {
    yield entries;
  };
  const { totals, shards } = await summarize(mergeLevels([{ uploadId, chunks, mentions }], uploadId));
  const texts = new SegmentTexts(1);
  await addEntries(texts, entries);
  const { segments } = await texts.finish(uploadId, chunks);
  const byPart = new Map(files.flatMap(({ part }, at) => (segments[at] === undefined ? [] : [[part, segments[at]]])));
  return { segments: byPart, chunks, totals, shards };
}

/** The files of which nobody has left out a piece, in the order of their paths. @throws integrity where a result lacks a share */
function wholeFiles({ uploadId, head }: ReadPlan, parts: readonly WholePart[]): readonly CutFile[] {
  const left = new Set(
    parts.flatMap(({ result: { shares = [] } }) =>
      shares.flatMap((one) => (one.segment === undefined ? one.path : [])),
    ),
  );
  const open = new Map<string, SegmentPlace[]>();
  const files: CutFile[] = [];
  for (const { result } of parts) {
    for (const share of head.parts[result.part]?.shares ?? []) {
      const { path, first, last, of } = share;
      if (left.has(path)) continue;
      const name = displayPath(rawFromBase64(path));
      const segment = result.shares?.find((one) => isSameShare(one, share))?.segment;
      if (segment === undefined)
        throw integrityError(`the result of part ${result.part} does not say where its pieces of ${name} are`);
      const places = first === 1 ? [] : (open.get(path) ?? []);
      open.set(path, places);
      places.push({ ...segment, key: relativeChunkKey(uploadId, chunkKey(result.uploadId, segment.key) ?? '') });
      if (last === of) files.push({ part: result.part, name, places });
    }
  }
  return files;
}

const isSameShare = (one: Share, other: Share): boolean =>
  one.path === other.path &&
  one.first === other.first &&
  one.last === other.last &&
  one.of === other.of &&
  one.pieceBytes === other.pieceBytes;

/** The entries of the files, with the pieces of all of their shares. @throws integrity where these are not all of a file */
async function joined(
  { head }: CutFilesInput,
  files: readonly CutFile[],
  { segments, chunks }: LoadedSegments,
): Promise<readonly Entry[]> {
  const manifest = { head: { ...head, chunks }, document: {}, uploadId: head.uploadId };
  const entries: Entry[] = [];
  let at = 0;
  for (const { name, places } of files) {
    const shares: Entry[] = [];
    for (const segment of segments.slice(at, (at += places.length)))
      for await (const batch of linesOfSegment(manifest, segment, await segment.read(), {}))
        shares.push(...batch.filter((line) => 'size' in line));
    entries.push(wholeEntry(name, shares));
  }
  return entries;
}

/** Checksums, attributes and holes are those that the last share has. */
function wholeEntry(name: string, shares: readonly Entry[]): Entry {
  const last = shares.at(-1);
  const segments = shares.flatMap((entry) => entry.segments ?? []);
  const bytes = segments.reduce((sum, { size }) => sum + size, 0);
  const isOne = shares.every(({ path, size }) => path === last?.path && size === last.size);
  if (last === undefined || !isOne || bytes !== last.size)
    throw integrityError(`the pieces of ${name} that parts have stored are not the whole file`);
  return { ...last, segments };
}
