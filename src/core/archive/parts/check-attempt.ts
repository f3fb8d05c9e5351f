// Looks at all that the result of a part, or the head of a plan, names, in whatever folders (rules.md#part-results): everything must be there
// with its size, and no mark may name it.
import { checkFolder } from '../../dataset/check-references.js';
import { loadSegments } from '../../format/manifest/load-segments.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord, SegmentPlace } from '../../format/manifest/manifest-types.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { folderOfKey, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import type { PartResult } from '../../format/parts/part-documents.js';
import type { ReadPlan } from './read-plan.js';

/** A part whose result, and all that it refers to, was seen. */
export interface WholePart {
  readonly result: PartResult;
  /** Without those of its shares. Keys are relative to the folder of the attempt. */
  readonly chunks: readonly ChunkRecord[];
}

/** An object by its full key; any size will do where none is given. */
export interface NamedObject {
  readonly key: string;
  readonly size?: number | undefined;
}

/** What `uploadId` names, by full keys. A key that is none is not found. */
export const namedBy = (uploadId: UploadId, places: readonly { readonly key: string; readonly size: number }[]) =>
  places.map(({ key, size }) => ({ key: chunkKey(uploadId, key) ?? `uploads//${key}`, size }));

/** Looks at folders. What lies in those of others than the attempt, as parts have them in common, is looked at once. */
export class FolderLooks {
  /** When the first look began, in ms by the wall clock. */
  readonly lookedAtMs = Date.now();
  private readonly seen = new Map<string, Promise<ReadonlyMap<string, ObjectInfo>>>();

  constructor(
    private readonly reader: ObjectReader,
    private readonly signal: AbortSignal,
  ) {}

  /** The first of these objects that is not there with its size, or that is marked, as a clause. @throws what the store throws */
  async lostOf(objects: readonly NamedObject[], own?: string): Promise<string | undefined> {
    for (const [folder, wanted] of listsByKey(objects, ({ key }) => folderOfKey(key))) {
      const sound = await (folder === own ? this.look(folder) : this.once(folder));
      const isLost = ({ key, size }: NamedObject): boolean =>
        !sound.has(key) || (size !== undefined && sound.get(key)?.sizeBytes !== size);
      const lost = wanted.find(isLost);
      if (lost !== undefined) return `${printable(lost.key)} is gone, changed or marked`;
    }
    return undefined;
  }

  private async once(folder: string): Promise<ReadonlyMap<string, ObjectInfo>> {
    const look = this.seen.get(folder) ?? this.look(folder);
    this.seen.set(folder, look);
    return await look;
  }

  private async look(folder: string): Promise<ReadonlyMap<string, ObjectInfo>> {
    return (await checkFolder(this.reader, folder, this.signal)).sound;
  }
}

/** What reads and looks. */
export interface Looking {
  readonly reader: ObjectReader;
  readonly looks: FolderLooks;
  readonly signal: AbortSignal;
}

/** Reads which chunks the segments of a part name, and looks. Returns why it is not whole instead, as a clause. @throws what the store throws */
async function checkAttempt({ reader, looks, signal }: Looking, result: PartResult): Promise<WholePart | string> {
  const { uploadId, segments, shares = [] } = result;
  const ofShares = shares.flatMap(({ segment }) => segment ?? []);
  const read = async (places: readonly SegmentPlace[]): Promise<readonly ChunkRecord[]> => {
    const head = { uploadId, segments: places, chunks: [] };
    return (await loadSegments(head, { reader, segments: 'beginnings', signal })).chunks;
  };
  try {
    const [chunks, chunksOfShares] = [await read(segments), await read(ofShares)];
    const named = [...segments, ...chunks, ...ofShares, ...chunksOfShares];
    const lost = await looks.lostOf(namedBy(uploadId, named), uploadFolder(uploadId));
    return lost ?? { result, chunks };
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    return error.message;
  }
}

/** Returns the first attempt that is whole; undefined if none is. `onBroken` gets what is wrong with others. */
export async function firstWhole(
  looking: Looking,
  results: readonly PartResult[],
  onBroken: (text: string) => void,
): Promise<WholePart | undefined> {
  for (const result of results) {
    const checked = await checkAttempt(looking, result);
    if (typeof checked !== 'string') return checked;
    onBroken(`the result of part ${result.part} by ${result.uploadId} counts for nothing: ${checked}`);
  }
  return undefined;
}

/** Attempts that are looked at side by side: a plan may have thousands of parts. */
const LOOKS_AT_ONCE = 16;

/** The first whole result of each part that has one, and the parts that have none; both in order. */
export async function wholeParts(
  looking: Looking,
  { head: { parts } }: ReadPlan,
  results: ReadonlyMap<number, readonly PartResult[]>,
  onBroken: (text: string) => void,
): Promise<{ readonly parts: readonly WholePart[]; readonly missing: readonly number[] }> {
  const whole = new Map<number, WholePart>();
  await forEachLimit(parts, LOOKS_AT_ONCE, async ({ part }) => {
    const first = await firstWhole(looking, results.get(part) ?? [], onBroken);
    if (first !== undefined) whole.set(part, first);
  });
  return {
    parts: parts.flatMap(({ part }) => whole.get(part) ?? []),
    missing: parts.flatMap(({ part }) => (whole.has(part) ? [] : [part])),
  };
}
