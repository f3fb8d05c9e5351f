// Finds the versions of a dataset that hold wanted paths. It costs one reading of each manifest: a full listing for about every ninth
// version, and the deltas in between; of listings in segments, each segment once. Hits are held in memory, manifests are not.
import { defined } from '../../platform/defined.js';
import { type ErrorCode, isArchiverError } from '../../platform/failures/errors.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Entry, VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { findDataset } from '../records/find-dataset.js';
import { readVersions } from '../records/versions.js';
import { ordinalRuns, type OrdinalRun } from '../records/ordinals-text.js';
import { compareVersions, type VersionName, versionName } from '../records/version-name.js';
import { readLoaded } from '../../format/manifest/loaded-manifest.js';
import type { Level } from '../chain/merged-view.js';
import { loadChain, loadExpected } from '../chain/load-chain.js';
import { digestsOf } from '../chain/version-view.js';
import { type ExpectedDigests, expectedIn } from '../records/assert-expected.js';
import { lifespansOf, type Lifespan } from './lifespans.js';
import { detached, WantedLines, type WantedOptions } from './wanted-lines.js';

export type HitEntry = Pick<Entry, 'path' | 'type' | 'size' | 'mtime' | 'md5' | 'target'>;

/** The version that has a path no more. */
export interface Deletion extends VersionName {
  /** When that version began; ISO 8601. */
  readonly createdAt: string;
  /** False where versions in between were retired: it may have been gone in them. */
  readonly isNext: boolean;
}

/** A path with one content and time; all folders of a path count as one, with the time of the newest. */
export interface Hit {
  readonly entry: HitEntry;
  /** Runs of versions, lowest first. */
  readonly versions: readonly OrdinalRun[];
  /** Where the version after the last of them was searched and has nothing under the path. */
  readonly deleted?: Deletion;
}

export interface FindOptions extends WantedOptions {
  /** Gets the number of lines of all full listings, before the first of them is read. */
  readonly onPlan?: (lines: number) => void;
  /** Number of newest versions to search. */
  readonly newest?: number;
  /** No further chain is begun once the full listings read so far have this many entries. */
  readonly maxEntries?: number;
  /** Called after each chain, newest first: true ends the search. */
  readonly isEnough?: (hits: readonly Hit[]) => boolean;
}

export interface Found {
  /** Hits in path order, those of one path newest first. */
  readonly hits: readonly Hit[];
  /** Number of versions that were searched. */
  readonly versions: number;
  /** Records of the versions that were searched, oldest first. */
  readonly records: readonly VersionRecord[];
  /** One sentence for each version that could not be searched. */
  readonly problems: readonly string[];
}

/** Searches the versions of a dataset for paths. @throws not-found without such a dataset; cancelled; what listing throws */
export async function findInVersions(reader: ObjectReader, datasetId: string, options: FindOptions): Promise<Found> {
  const { newest = Infinity, onPlan, signal } = options;
  const { versions: listed } = await findDataset(reader, datasetId, { signal });
  const read = await readVersions(reader, listed.toReversed().slice(0, newest), signal);
  const records = read.flatMap((found) => ('record' in found ? [found.record] : []));
  const fulls = records.filter(({ listing }) => listing === 'full');
  onPlan?.(fulls.reduce((sum, { totals }) => sum + totals.entries, 0));
  const search = new Search(reader, listed, records, options);
  for (const found of read) if ('problem' in found) search.problems.push(found.problem.message);
  for (const record of records) {
    if (!search.mayGoOn) break;
    await search.look(record);
  }
  return search;
}

/** Errors of a single version, as opposed to errors of the connection, which the next version would meet as well. */
const VERSION_ERRORS: readonly ErrorCode[] = ['not-found', 'integrity', 'unsupported', 'access-denied', 'cold-storage'];

class Search implements Found {
  readonly problems: string[] = [];
  private readonly recordOf: ReadonlyMap<UploadId, VersionRecord>;
  private readonly listings: WantedLines;
  private readonly seen = new Set<UploadId>();
  /** Records of the versions that were searched, by name. */
  private readonly searched = new Map<string, VersionRecord>();
  /** What follows an ordinal, as far as it was asked for. */
  private readonly following = new Map<number, Deletion | undefined>();
  private readonly found = new Map<RawPath, { readonly entry: HitEntry; readonly versions: OrdinalRun[] }[]>();
  private entries = 0;

  constructor(
    private readonly reader: ObjectReader,
    /** All versions, lowest first. */
    private readonly listed: readonly VersionName[],
    records: readonly VersionRecord[],
    private readonly options: FindOptions,
  ) {
    this.recordOf = new Map(records.map((record) => [record.uploadId, record]));
    this.listings = new WantedLines(reader, options);
  }

  get versions(): number {
    return this.searched.size;
  }

  get records(): readonly VersionRecord[] {
    return [...this.searched.values()].toSorted(compareVersions);
  }

  get hits(): readonly Hit[] {
    const paths = [...this.found.keys()].sort((a, b) => (a < b ? -1 : 1));
    this.following.clear();
    return paths.flatMap((path) => {
      const hits = this.found.get(path)?.map(ordered) ?? [];
      return hits.map((hit) => ({ ...hit, ...defined({ deleted: this.deletionOf(hit, hits) }) }));
    });
  }

  /** @param hits all of its path */
  private deletionOf({ versions }: Hit, hits: readonly Hit[]): Deletion | undefined {
    const next = this.after(versions.at(-1)?.to ?? 0);
    if (next === undefined) return undefined;
    const isHeld = hits.some((hit) => hit.versions.some(({ from, to }) => from <= next.version && next.version <= to));
    return isHeld ? undefined : next;
  }

  /** The lowest version above this one; undefined where there is none, more than one has its number, or it was not searched. */
  private after(last: number): Deletion | undefined {
    if (!this.following.has(last)) {
      const next = this.listed.find(({ version }) => version > last);
      const isFork = this.listed.some((one) => one !== next && one.version === next?.version);
      const record = next === undefined || isFork ? undefined : this.searched.get(versionName(next));
      const { version = 0, createdAt = '' } = record ?? {};
      this.following.set(last, record && { version, createdAt, isNext: version === last + 1 });
    }
    return this.following.get(last);
  }

  get mayGoOn(): boolean {
    const { maxEntries = Infinity, isEnough } = this.options;
    return this.entries < maxEntries && isEnough?.(this.hits) !== true;
  }

  /** Searches a version and all that it builds on, newest first. */
  async look(tip: VersionRecord): Promise<void> {
    if (this.seen.has(tip.uploadId)) return;
    this.seen.add(tip.uploadId);
    try {
      await this.searchChain(tip);
    } catch (error) {
      if (!isArchiverError(error, ...VERSION_ERRORS)) throw error;
      // The versions below may be sound: they are searched by themselves.
      this.problems.push(`${versionName(tip)} was not searched: ${error.message}`);
    }
  }

  private async searchChain(tip: VersionRecord): Promise<void> {
    const { reader, recordOf, listings, options } = this;
    const lineage = await openLineage(reader, tip, { ...options, records: recordOf, listings });
    const [full = tip.uploadId] = lineage.uploads.slice(-1);
    this.entries += (recordOf.get(full) ?? tip).totals.entries;
    const versions = lineage.uploads.map((uploadId) => recordOf.get(uploadId));
    const isNew = (record: VersionRecord | undefined): record is VersionRecord =>
      record !== undefined && (record.uploadId === tip.uploadId || !this.seen.has(record.uploadId));
    // Hits count once all manifests of the chain have proved to be sound.
    const found: (readonly [HitEntry, readonly OrdinalRun[]])[] = [];
    for await (const batch of lineage.lives()) {
      for (const { entry, newest, oldest } of batch) {
        const runs = ordinalRuns(
          versions
            .slice(newest, oldest + 1)
            .filter(isNew)
            .toReversed(),
        );
        if (runs.length > 0) found.push([this.kept(entry), runs]);
      }
    }
    for (const [entry, runs] of found) this.add(entry, runs);
    for (const record of versions.filter(isNew)) this.searched.set(versionName(record), record);
    for (const uploadId of lineage.uploads) if (recordOf.has(uploadId)) this.seen.add(uploadId);
  }

  /** The entry of a hit; the same object when it is known already. */
  private kept({ path, type, size, mtime, md5, target }: Entry): HitEntry {
    const [first] = this.found.get(path) ?? [];
    const entry = { path: first?.entry.path ?? path, type, size, mtime, ...defined({ md5, target }) };
    if (first !== undefined && isSame(first.entry, entry)) return first.entry;
    return {
      ...entry,
      path: first?.entry.path ?? detached(path),
      ...defined({ md5: md5 && detached(md5), target: target && detached(target) }),
    };
  }

  private add(entry: HitEntry, runs: readonly OrdinalRun[]): void {
    const known = this.found.get(entry.path);
    const same = known?.find((hit) => isSame(hit.entry, entry));
    if (known === undefined) this.found.set(entry.path, [{ entry, versions: [...runs] }]);
    else if (same === undefined) known.push({ entry, versions: [...runs] });
    else for (const run of runs.toReversed()) addRun(same.versions, run);
  }
}

/** Adds a run at the front, as versions mostly come newest first; joins it with the first one when they adjoin. */
function addRun(runs: OrdinalRun[], run: OrdinalRun): void {
  const [lowest] = runs;
  const mayJoin = lowest?.fork === undefined && run.fork === undefined;
  if (mayJoin && lowest?.from === run.to + 1) runs[0] = { from: run.from, to: lowest.to };
  else runs.unshift(run);
}

function ordered({ entry, versions }: Hit): Hit {
  const merged: OrdinalRun[] = [];
  const nameOf = ({ from, fork }: OrdinalRun) => ({ version: from, fork });
  for (const run of versions.toSorted((a, b) => compareVersions(nameOf(b), nameOf(a)))) addRun(merged, run);
  return { entry, versions: merged };
}

const isSame = (a: HitEntry, b: HitEntry): boolean =>
  a.type === b.type &&
  (a.type === 'directory' ||
    (a.size === b.size &&
      a.md5 === b.md5 &&
      a.target === b.target &&
      a.mtime.seconds === b.mtime.seconds &&
      a.mtime.nanos === b.mtime.nanos));

// Reads a chain of manifests as the versions that it makes up: each manifest is read once, however many versions share its entries. The
// full listing is a stream; deltas are loaded, so that their digests are known first.

interface LineageOptions extends Pick<WantedOptions, 'isWanted' | 'ranges' | 'signal'> {
  /** Records of the dataset, by upload. */
  readonly records: ReadonlyMap<UploadId, VersionRecord>;
  readonly listings: WantedLines;
}

type HistoryLevel = Pick<Level, 'uploadId' | 'mentions'>;

interface Lineage {
  /** Uploads of the chain, newest first, as `Lifespan` numbers them. */
  readonly uploads: readonly UploadId[];
  /**
   * The lives of all wanted entries, to be iterated once. They are only valid once it has ended. @throws integrity, and what reading throws
   */
  lives(): AsyncGenerator<readonly Lifespan[]>;
}

/** Opens the chain that ends in a version. @throws integrity when it is broken, and what loading throws */
async function openLineage(reader: ObjectReader, tip: VersionRecord, options: LineageOptions): Promise<Lineage> {
  const levels = await levelsOf(reader, tip, options);
  return { uploads: levels.map(({ uploadId }) => uploadId), lives: () => lifespansOf(levels, options.isWanted) };
}

async function levelsOf(reader: ObjectReader, tip: VersionRecord, options: LineageOptions): Promise<HistoryLevel[]> {
  const { records, ranges, signal } = options;
  const isFull = (uploadId: UploadId): boolean => records.get(uploadId)?.listing === 'full';
  const streamed = (uploadId: UploadId, expected: ExpectedDigests): HistoryLevel => ({
    uploadId,
    mentions: () => options.listings.of(uploadId, expected, records.get(uploadId)?.datasetId),
  });
  if (isFull(tip.uploadId)) return [streamed(tip.uploadId, digestsOf(tip))];
  const newest = await loadExpected(reader, tip.uploadId, digestsOf(tip), { ranges, signal });
  const chain = await loadChain(reader, newest, { ranges, signal, stopsAt: isFull });
  const levels: HistoryLevel[] = chain.map((loaded) => ({
    uploadId: loaded.uploadId,
    mentions: () => readLoaded(loaded, { withoutNames: true }),
  }));
  const previous = chain.at(-1)?.head.previous;
  if (previous !== undefined) {
    const expected = expectedIn(tip.datasetId, [previous.sha256], previous.index);
    levels.push(streamed(previous.uploadId, expected));
  }
  return levels;
}
