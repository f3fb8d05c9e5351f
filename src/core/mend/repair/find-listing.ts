// Finds the segments of a listing whose manifest is lost without a copy: those in its folder, and those that the version before or after
// it names where it wrote none. The counts in the version record prove that these are all of them.
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { movedKey } from '../../archive/changes/next-segments.js';
import { EntrySums } from '../../dataset/chain/entry-sums.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { levelOf } from '../../dataset/chain/view.js';
import { firstPath } from '../../format/manifest/first-path.js';
import {
  fetchManifest,
  type LoadedManifest,
  loadAlone,
  openStored,
  withSegments,
} from '../../format/manifest/loaded-manifest.js';
import { inflateManifest } from '../../format/manifest/inflate-manifest.js';
import { MAX_SEGMENT_BYTES } from '../../format/manifest/load-segments.js';
import { manifestIndexOf } from '../../format/manifest/manifest-index.js';
import { ManifestLines } from '../../format/manifest/manifest-lines.js';
import type { SegmentPlace, VersionRecord } from '../../format/manifest/manifest-types.js';
import { parseSegmentHead, type SegmentHead } from '../../format/manifest/segment-head.js';
import { defined } from '../../platform/defined.js';
import { integrityError, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';
import type { ObjectInfo } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { manifestKeyOf, uploadFolder } from '../../store/ids/upload-id.js';
import type { FoundRecord, RecordSearch } from './find-record.js';
import type { FolderObjects } from './folder-objects.js';
import { rebuildHead } from './rebuild-head.js';
import type { RepairOptions } from './repair-result.js';
import { sameContent } from './same-content.js';

const SEGMENTS_AT_ONCE = 8;

interface OwnSegment {
  readonly place: SegmentPlace;
  readonly last: RawPath;
}

/** The listing; undefined where it cannot be proven. Its head is otherwise a guess. @throws errors of the store */
export async function findListing(
  options: RepairOptions,
  search: RecordSearch,
  { segments, marked }: FolderObjects,
): Promise<LoadedManifest | undefined> {
  const { store, uploadId, tool, region, signal } = options;
  const record = search.found?.record;
  if (record === undefined || segments.length === 0) return undefined;
  const own: OwnSegment[] = [];
  await forEachLimit(segments, SEGMENTS_AT_ONCE, async (object) => {
    const found = marked?.has(object.key) === true ? undefined : await openOwn(options, object);
    if (found !== undefined) own.push(found);
  });
  const before = (await search.others()).findLast((one) => one.record.version < record.version);
  for (const neighbour of [undefined, before, search.newer[0]]) {
    const places = joined(own, neighbour && (await placesOf(options, neighbour)));
    if (!isWhole(places, record)) continue;
    const sources = {
      uploadId,
      url: store.url,
      region,
      tool,
      damaged: undefined,
      record,
      chunks: [],
      hasChecksums: true,
    };
    const { totals } = record;
    const head = {
      ...rebuildHead(sources).head,
      listing: 'full',
      totals,
      shards: [],
      chunks: [],
      segments: places,
    } as const;
    const alone = { head, document: {}, uploadId, key: manifestKeyOf(uploadId), sha256: '', bytes: Buffer.alloc(0) };
    const linkGroups = await linkGroupsOf(await withSegments(alone, { reader: store, signal })).catch(
      undefinedOn('integrity'),
    );
    if (linkGroups !== undefined) return { ...alone, head: { ...head, linkGroups } };
  }
  return undefined;
}

async function linkGroupsOf(loaded: LoadedManifest): Promise<number> {
  let most = 0;
  for await (const batch of mergeLevels([levelOf(loaded)], loaded.uploadId).entries())
    for (const { linkGroup = 0 } of batch) most = Math.max(most, linkGroup);
  return most;
}

/** Undefined for one that is damaged. */
async function openOwn(
  { store, uploadId, signal }: RepairOptions,
  { key }: ObjectInfo,
): Promise<OwnSegment | undefined> {
  try {
    const bytes = await readAll(await store.get(key, { signal }), MAX_SEGMENT_BYTES);
    const sha256 = hash('sha256', bytes, 'hex');
    const { head, first, last } = await edgesOf(bytes, key);
    if (head.uploadId !== uploadId || first === '' || last === '' || !key.endsWith(`-${sha256.slice(0, 8)}.json.gz`))
      return undefined;
    const index = manifestIndexOf(bytes);
    const own = key.slice(uploadFolder(uploadId).length);
    const { counts } = head;
    return { place: { key: own, size: bytes.length, sha256, counts, first, ...defined({ index }) }, last };
  } catch (error) {
    if (isArchiverError(error, 'integrity', 'not-found') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The head of a segment, its first and its last path. @throws integrity, unsupported */
async function edgesOf(bytes: Buffer, key: string) {
  let head: SegmentHead | undefined;
  let first = TOP;
  let last = '';
  const what = `the segment ${key}`;
  const lines = new ManifestLines(what, {
    head: (text) => (head = parseSegmentHead(text, key)),
    lines: (lines) => {
      if (first === TOP) first = firstPath(lines.toString('utf8'));
      last = lines.toString('utf8', lines.lastIndexOf('\n', -2) + 1);
    },
  });
  for await (const piece of inflateManifest(Readable.from([bytes]), { what })) lines.push(piece);
  lines.end();
  if (head === undefined) throw integrityError(`${what} has no head`);
  return { head, first, last: firstPath(last) };
}

/** The segments that another version names, with keys relative to this one, without those that are younger. */
async function placesOf(
  { store, uploadId, signal }: RepairOptions,
  { record }: FoundRecord,
): Promise<readonly SegmentPlace[]> {
  try {
    const bytes = await fetchManifest(store, record.uploadId, signal);
    const opened = await openStored(store, record.uploadId, bytes, signal);
    const { head } = await loadAlone(record.uploadId, opened, hash('sha256', bytes, 'hex'));
    return (head.segments ?? []).map((place) => ({ ...place, key: movedKey(place.key, record.uploadId, uploadId) }));
  } catch (error) {
    if (isArchiverError(error, 'integrity', 'not-found')) return [];
    throw error;
  }
}

/** The segments of a neighbour, but for those in whose range of paths the upload has its own. */
function joined(own: readonly OwnSegment[], neighbour: readonly SegmentPlace[] = []): readonly SegmentPlace[] {
  const others = neighbour.filter(({ key, first }, position) => {
    const next = neighbour[position + 1]?.first;
    return (
      key.startsWith('../') &&
      !own.some(({ place, last }) => last >= first && (next === undefined || place.first < next))
    );
  });
  return [...own.map(({ place }) => place), ...others].toSorted((a, b) => (a.first < b.first ? -1 : 1));
}

function isWhole(places: readonly SegmentPlace[], { totals }: VersionRecord): boolean {
  const sums = new EntrySums();
  for (const { counts } of places) sums.addCounts(counts);
  return sameContent(sums.totals, totals);
}
