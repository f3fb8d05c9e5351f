// A listing made of one in segments and of what differs from it: segments that nothing touches are named again, the others are written anew
// with what is new in their range of paths.
import type { Level, MergedView } from '../../dataset/chain/merged-view.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { type Run, touchedBy } from '../../dataset/chain/touched-segments.js';
import { levelOf, type View } from '../../dataset/chain/view.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { addEntries } from '../../format/manifest/compose-manifest.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ManifestHead, SegmentPlace } from '../../format/manifest/manifest-types.js';
import { entriesPerSegment, headOfSegments } from '../../format/manifest/segmented.js';
import { SegmentTexts } from '../../format/manifest/segment-texts.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { UploadId } from '../../store/ids/upload-id.js';

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
  return await composeRuns({ ...head, linkGroups }, base.uploadId, runs, merged);
}

/** Composes a listing of segments that stay, whose keys are relative to `uploadId`, and of the entries of `merged`, all of which lie in runs. */
export async function composeRuns(
  head: ManifestHead,
  uploadId: UploadId,
  runs: readonly (SegmentPlace | Run)[],
  merged: MergedView,
): Promise<EncodedManifest> {
  const texts = new SegmentTexts(entriesPerSegment(head.totals.entries));
  try {
    const written = await writeRuns(texts, merged, runs);
    const { segments: own } = await texts.finish(head.uploadId, merged.chunks);
    let next = 0;
    const listed = runs.flatMap((run, at) => {
      if (!('most' in run)) return { ...run, key: movedKey(run.key, uploadId, head.uploadId) };
      const from = next;
      next = written[at] ?? own.length;
      return own.slice(from, next).map(({ place }) => place);
    });
    const linkGroups = Math.max(head.linkGroups ?? 0, texts.linkGroups);
    return await headOfSegments({ ...head, chunks: [], linkGroups }, listed, own);
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

/** The key of a segment relative to the folder of another upload. */
export const movedKey = (key: string, from: UploadId, to: UploadId): string =>
  relativeChunkKey(to, chunkKey(from, key) ?? key);
