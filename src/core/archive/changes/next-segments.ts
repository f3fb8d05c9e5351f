// A listing made of one in segments and of what differs from it: segments that nothing touches are named again, the others are written anew
// with what is new in their range of paths.
import type { Level, MergedView } from '../../dataset/chain/merged-view.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { levelOf, type View } from '../../dataset/chain/view.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { addEntries } from '../../format/manifest/compose-manifest.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ManifestHead, SegmentPlace } from '../../format/manifest/manifest-types.js';
import { entriesPerSegment, headOfSegments } from '../../format/manifest/segmented.js';
import { SegmentTexts } from '../../format/manifest/segment-texts.js';
import { type RawPath, rawFromText, withEnd } from '../../platform/paths/raw-path.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** Entries that are written anew for a listing that is to cost little, as a share of all. */
const SMALL_SHARE = 1 / 20;
const SMALL_SEGMENTS = 4;

const SLASH = rawFromText('/');
const AFTER_SLASH = rawFromText('0');

/** Collects which segments of a listing mentions touch. */
export class TouchedSegments {
  /** Number of mentions in each segment that is touched. */
  private readonly mentions = new Map<number, number>();

  constructor(private readonly places: readonly SegmentPlace[]) {}

  /** Adds a mention. One of anything but a folder hides what was below its path. */
  add(path: RawPath, isFolder: boolean): void {
    const at = this.at(path);
    this.mentions.set(at, (this.mentions.get(at) ?? 0) + 1);
    if (isFolder) return;
    const before = withEnd(path, AFTER_SLASH);
    for (let below = this.at(withEnd(path, SLASH)); below < this.places.length; below++) {
      const first = this.places[below]?.first;
      if (first === undefined || (below > at && first >= before)) break;
      if (!this.mentions.has(below)) this.mentions.set(below, 0);
    }
  }

  private at(path: RawPath): number {
    let [low, high] = [0, this.places.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.places[middle]?.first ?? path) <= path) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Whether so little is touched that writing it anew is better than another delta, which readers would have to follow. */
  get isSmall(): boolean {
    const all = entriesIn(this.places);
    const touched = entriesIn(this.places.filter((_, position) => this.mentions.has(position)));
    return touched <= Math.max(all * SMALL_SHARE, entriesPerSegment(all) * SMALL_SEGMENTS);
  }

  /** The segments in order: those that stay, and runs of those that are written anew, with the most entries that these may have. */
  runs(): readonly (SegmentPlace | Run)[] {
    const runs: (SegmentPlace | Run)[] = [];
    const least = entriesPerSegment(entriesIn(this.places)) / 2;
    let isJoining = false;
    for (const [position, place] of this.places.entries()) {
      const mentions = this.mentions.get(position);
      if (mentions === undefined && !isJoining) {
        runs.push(place);
        continue;
      }
      const last = runs.at(-1);
      const run = last !== undefined && 'most' in last ? last : { most: 0, segments: [], before: undefined };
      if (run !== last) runs.push(run);
      run.most += place.counts.entries + (mentions ?? 0);
      run.segments.push(position);
      run.before = this.places[position + 1]?.first;
      // A segment that has become small is joined with the one after it.
      isJoining = mentions !== undefined && place.counts.entries < least;
    }
    return runs;
  }
}

interface Run {
  most: number;
  /** Positions of the segments. */
  readonly segments: number[];
  /** First path behind it; undefined for the last one. */
  before: RawPath | undefined;
}

const entriesIn = (places: readonly SegmentPlace[]): number =>
  places.reduce((sum, { counts }) => sum + counts.entries, 0);

/** What mentions of these levels touch of the segments. @throws what reading the levels throws */
async function touchedBy(
  places: readonly SegmentPlace[],
  levels: readonly Pick<Level, 'mentions'>[],
): Promise<TouchedSegments> {
  const touched = new TouchedSegments(places);
  for (const level of levels)
    for await (const batch of level.mentions())
      for (const line of batch) touched.add(line.path, 'type' in line && line.type === 'directory');
  return touched;
}

/** Whether the view is a listing in segments, most of which stay as they are with the rows of `table` and without what was deleted. */
export async function touchesLittle(view: View, table: EntryTable, deleted: readonly RawPath[]): Promise<boolean> {
  const places = view.chain.at(-1)?.head.segments;
  if (places === undefined) return false;
  const touched = await touchedBy(places, view.chain.slice(0, -1).map(levelOf));
  const { status, kind } = table.columns;
  for (let index = 0; index < table.count; index++) {
    const isSame = status[index] === STATUS.same || status[index] === STATUS.skipped || kind[index] === KIND.dropped;
    if (!isSame) touched.add(table.path(index), kind[index] === KIND.directory);
  }
  for (const path of deleted) touched.add(path, false);
  return touched.isSmall;
}

/**
 * Composes the listing of `newer`, newest first, on `base`, which has segments. `head` is that of the result. @throws what reading throws
 */
export async function composeNext(
  head: ManifestHead,
  base: LoadedManifest,
  newer: readonly Level[],
): Promise<EncodedManifest> {
  const places = base.head.segments ?? [];
  const runs = (await touchedBy(places, newer)).runs();
  const anew = runs.flatMap((run) => ('most' in run ? run.segments : []));
  const rewritten = new Set(anew.map((position) => places[position]));
  const segments = (base.segments ?? []).filter(({ place }) => rewritten.has(place));
  const { linkGroups = 0 } = base.head;
  const merged = mergeLevels([...newer, levelOf({ ...base, segments })], head.uploadId, { linkGroups });
  const texts = new SegmentTexts(entriesPerSegment(head.totals.entries));
  try {
    const written = await writeRuns(texts, merged, runs);
    const { segments: own } = await texts.finish(head.uploadId, merged.chunks);
    let next = 0;
    const listed = runs.flatMap((run, at) => {
      if (!('most' in run)) return { ...run, key: movedKey(run.key, base.uploadId, head.uploadId) };
      const from = next;
      next = written[at] ?? own.length;
      return own.slice(from, next).map(({ place }) => place);
    });
    const groups = Math.max(linkGroups, texts.linkGroups);
    return await headOfSegments({ ...head, chunks: [], linkGroups: groups }, listed, own);
  } catch (error) {
    texts.destroy();
    throw error;
  }
}

/** Writes the entries of each run; returns, by position of a run, how many segments there are after it. */
async function writeRuns(
  texts: SegmentTexts,
  merged: MergedView,
  runs: readonly (SegmentPlace | Run)[],
): Promise<Readonly<Record<number, number>>> {
  const ends: Record<number, number> = {};
  const open = [...runs.entries()].flatMap(([at, run]) => ('most' in run ? [{ at, run }] : []));
  let current = open.shift();
  if (current !== undefined) texts.begin(current.run.most);
  for await (const batch of merged.entries()) {
    let start = 0;
    for (const [position, { path }] of batch.entries()) {
      while (current?.run.before !== undefined && path >= current.run.before) {
        await addEntries(texts, batch.slice(start, position));
        start = position;
        ends[current.at] = texts.count;
        current = open.shift();
        texts.begin(current?.run.most ?? 0);
      }
    }
    await addEntries(texts, batch.slice(start));
  }
  for (; current !== undefined; current = open.shift()) ends[current.at] = texts.count;
  return ends;
}

const movedKey = (key: string, from: UploadId, to: UploadId): string =>
  relativeChunkKey(to, chunkKey(from, key) ?? key);
