// Which versions of a dataset hold the paths that somebody looks for. It costs one reading of each manifest: a full listing for
// about every ninth version, and the deltas in between. What is found is held in memory, manifests are not.
import { defined } from '../../platform/defined.js';
import { type ErrorCode, isArchiverError, integrityError } from '../../platform/failures/errors.js';
import { type UploadId, manifestKeyOf } from '../../store/ids/upload-id.js';
import type { Entry, VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { findDataset } from '../records/find-dataset.js';
import { readVersions } from '../records/versions.js';
import { ordinalRuns, type OrdinalRun } from '../records/ordinals-text.js';
import { compareVersions, versionName } from '../records/version-name.js';
import { readLoaded } from '../../format/manifest/loaded-manifest.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import { streamLines } from '../../format/manifest/stream-lines.js';
import type { Level } from '../chain/merged-view.js';
import { loadChain, loadExpected } from '../chain/load-chain.js';
import { digestsOf } from '../chain/version-view.js';
import { assertExpected, type ExpectedDigests, expectedIn } from '../records/assert-expected.js';
import { livesOf, type Life } from './lives.js';

export type HitEntry = Pick<Entry, 'path' | 'type' | 'size' | 'mtime' | 'md5' | 'target'>;

/** A path with one content and time; all folders of a path are one, with the time of the newest. */
export interface Hit {
  readonly entry: HitEntry;
  /** Lowest first. */
  readonly versions: readonly OrdinalRun[];
}

export interface FindOptions extends Pick<LineageOptions, 'isWanted' | 'needles' | 'onLines' | 'signal'> {
  /** Told how many lines of full listings there are, before the first of them comes. */
  readonly onPlan?: (lines: number) => void;
  /** Only the newest versions are looked at, this many. */
  readonly newest?: number;
  /** No further chain is begun once the full listings of those before have this many entries. */
  readonly maxEntries?: number;
  /** Asked after each chain, newest first: true ends the search. */
  readonly isEnough?: (hits: readonly Hit[]) => boolean;
}

export interface Found {
  /** In path order, those of a path newest first. */
  readonly hits: readonly Hit[];
  /** How many versions were looked at. */
  readonly versions: number;
  /** Of versions that could not be looked at: a sentence each. */
  readonly problems: readonly string[];
}

/** Looks for paths in the versions of a dataset. @throws not-found without such a dataset; cancelled; what listing throws */
export async function findInVersions(reader: ObjectReader, datasetId: string, options: FindOptions): Promise<Found> {
  const { newest = Infinity, onPlan, signal } = options;
  const { versions: listed } = await findDataset(reader, datasetId, { signal });
  const read = await readVersions(reader, listed.toReversed().slice(0, newest), signal);
  const records = read.flatMap((found) => ('record' in found ? [found.record] : []));
  const fulls = records.filter(({ listing }) => listing === 'full');
  onPlan?.(fulls.reduce((sum, { totals }) => sum + totals.entries, 0));
  const search = new Search(reader, records, options);
  for (const found of read) if ('problem' in found) search.problems.push(found.problem.message);
  for (const record of records) {
    if (!search.mayGoOn) break;
    await search.look(record);
  }
  return search;
}

/** Failures of one version, as opposed to those of the way to the store, which the next version would meet as well. */
const OF_VERSION: readonly ErrorCode[] = ['not-found', 'integrity', 'unsupported', 'access-denied', 'cold-storage'];

class Search implements Found {
  readonly problems: string[] = [];
  versions = 0;
  private readonly records: ReadonlyMap<UploadId, VersionRecord>;
  private readonly seen = new Set<UploadId>();
  private readonly found = new Map<RawPath, { readonly entry: HitEntry; readonly versions: OrdinalRun[] }[]>();
  private entries = 0;

  constructor(
    private readonly reader: ObjectReader,
    records: readonly VersionRecord[],
    private readonly options: FindOptions,
  ) {
    this.records = new Map(records.map((record) => [record.uploadId, record]));
  }

  get hits(): readonly Hit[] {
    const paths = [...this.found.keys()].sort((a, b) => (a < b ? -1 : 1));
    return paths.flatMap((path) => this.found.get(path)?.map(ordered) ?? []);
  }

  get mayGoOn(): boolean {
    const { maxEntries = Infinity, isEnough } = this.options;
    return this.entries < maxEntries && isEnough?.(this.hits) !== true;
  }

  /** Looks at a version, and at all that it builds on; newest first. */
  async look(tip: VersionRecord): Promise<void> {
    if (this.seen.has(tip.uploadId)) return;
    this.seen.add(tip.uploadId);
    try {
      await this.lookThrough(tip);
    } catch (error) {
      if (!isArchiverError(error, ...OF_VERSION)) throw error;
      // The versions below may be sound: they are looked at by themselves.
      this.problems.push(`${versionName(tip)} was not searched: ${error.message}`);
    }
  }

  private async lookThrough(tip: VersionRecord): Promise<void> {
    const { reader, records, options } = this;
    const lineage = await openLineage(reader, tip, { ...options, records });
    const [full = tip.uploadId] = lineage.uploads.slice(-1);
    this.entries += (records.get(full) ?? tip).totals.entries;
    const versions = lineage.uploads.map((uploadId) => records.get(uploadId));
    const isNew = (record: VersionRecord | undefined): record is VersionRecord =>
      record !== undefined && (record.uploadId === tip.uploadId || !this.seen.has(record.uploadId));
    // What was found counts when all manifests of the chain have shown that they are sound.
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
    this.versions += versions.filter(isNew).length;
    for (const uploadId of lineage.uploads) if (records.has(uploadId)) this.seen.add(uploadId);
  }

  /** The entry of a hit; the same object where it is known already. */
  private kept({ path, type, size, mtime, md5, target }: Entry): HitEntry {
    const [first] = this.found.get(path) ?? [];
    const entry = { path: first?.entry.path ?? path, type, size, mtime, ...defined({ md5, target }) };
    if (first !== undefined && isSame(first.entry, entry)) return first.entry;
    return {
      ...entry,
      path: first?.entry.path ?? alone(path),
      ...defined({ md5: md5 && alone(md5), target: target && alone(target) }),
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

/** A string that is no part of a longer one, which it would keep in memory. */
const alone = <T extends string>(text: T): T => Buffer.from(text, 'latin1').toString('latin1') as T;

/** Versions mostly come newest first. */
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

// A chain of manifests as the versions that it shows: each manifest is read once, however many versions show what it says. The
// full listing is a stream; deltas are loaded, so that their digests are known first.

interface LineageOptions {
  /** Of the dataset, by upload. */
  readonly records: ReadonlyMap<UploadId, VersionRecord>;
  readonly isWanted: (path: RawPath) => boolean;
  /** See `ManifestParserOptions`; of the full listing, because a delta may hide paths that it does not name. */
  readonly needles?: readonly RawPath[] | undefined;
  /** Told how many lines of the full listing have come. */
  readonly onLines?: ((count: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

type HistoryLevel = Pick<Level, 'uploadId' | 'mentions'>;

interface Lineage {
  /** Newest first, as `Life` numbers them. */
  readonly uploads: readonly UploadId[];
  /** To be gone through once. Nothing counts before it has ended. @throws integrity, and what reading throws */
  lives(): AsyncGenerator<readonly Life[]>;
}

/** Opens the chain that ends in a version. @throws integrity where it is broken, and what loading throws */
async function openLineage(reader: ObjectReader, tip: VersionRecord, options: LineageOptions): Promise<Lineage> {
  const levels = await levelsOf(reader, tip, options);
  return { uploads: levels.map(({ uploadId }) => uploadId), lives: () => livesOf(levels, options.isWanted) };
}

async function levelsOf(reader: ObjectReader, tip: VersionRecord, options: LineageOptions): Promise<HistoryLevel[]> {
  const { records, signal } = options;
  const isFull = (uploadId: UploadId): boolean => records.get(uploadId)?.listing === 'full';
  if (isFull(tip.uploadId)) return [streamed(reader, tip.uploadId, digestsOf(tip), options)];
  const newest = await loadExpected(reader, tip.uploadId, digestsOf(tip), { signal });
  const chain = await loadChain(reader, newest, { signal, stopsAt: isFull });
  const levels: HistoryLevel[] = chain.map((loaded) => ({
    uploadId: loaded.uploadId,
    mentions: () => readLoaded(loaded, { withoutNames: true }),
  }));
  const previous = chain.at(-1)?.head.previous;
  if (previous !== undefined)
    levels.push(streamed(reader, previous.uploadId, expectedIn(tip.datasetId, [previous.sha256]), options));
  return levels;
}

function streamed(
  reader: ObjectReader,
  uploadId: UploadId,
  expected: ExpectedDigests,
  { records, needles, onLines, signal }: LineageOptions,
): HistoryLevel {
  const key = manifestKeyOf(uploadId);
  return {
    uploadId,
    async *mentions(): AsyncGenerator<readonly Line[]> {
      const lines = streamLines(reader, {
        uploadId,
        withoutNames: true,
        needles,
        signal,
        onHead({ head }) {
          if (head.listing !== 'full' || head.datasetId !== records.get(uploadId)?.datasetId)
            throw integrityError(`the manifest ${key} is not the full listing that its version record names`);
        },
        onEnd: async ({ head }, sha256) => await assertExpected(reader, { head, key, sha256 }, expected, signal),
      });
      for await (const batch of lines) {
        onLines?.(batch.length);
        yield batch;
      }
    },
  };
}
