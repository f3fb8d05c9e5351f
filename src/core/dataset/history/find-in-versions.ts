// Which versions of a dataset hold the paths that somebody looks for. It costs one reading of each manifest: a full listing for
// about every ninth version, and the deltas in between. What is found is held in memory, manifests are not.
import { isArchiverError } from '../../failures/errors.js';
import type { Entry, UploadId, VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectReader } from '../../object-store/object-store.js';
import type { RawPath } from '../../paths/raw-path.js';
import { noSuchDataset } from '../records/version-selector.js';
import { listVersions, readVersions } from '../records/versions.js';
import { type LineageOptions, openLineage } from './lineages.js';
import type { Life } from './lives.js';

export type HitEntry = Pick<Entry, 'path' | 'type' | 'size' | 'mtime' | 'md5' | 'target'>;

/** A path with one content and time; all folders of a path are one, with the time of the newest. */
export interface Hit {
  readonly entry: HitEntry;
  /** Newest first. */
  readonly versions: readonly number[];
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
  const listed = await listVersions(reader, datasetId, signal);
  if (listed.length === 0) throw await noSuchDataset(reader, datasetId, signal);
  const read = await readVersions(reader, datasetId, listed.toReversed().slice(0, newest), signal);
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

class Search implements Found {
  readonly problems: string[] = [];
  versions = 0;
  private readonly records: ReadonlyMap<UploadId, VersionRecord>;
  private readonly seen = new Set<number>();
  private readonly found = new Map<RawPath, { readonly entry: HitEntry; readonly versions: number[] }[]>();
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
    return paths.flatMap((path) => this.found.get(path) ?? []);
  }

  get mayGoOn(): boolean {
    const { maxEntries = Infinity, isEnough } = this.options;
    return this.entries < maxEntries && isEnough?.(this.hits) !== true;
  }

  /** Looks at a version, and at all that it builds on; newest first. */
  async look(tip: VersionRecord): Promise<void> {
    if (this.seen.has(tip.version)) return;
    this.seen.add(tip.version);
    try {
      await this.lookThrough(tip);
    } catch (error) {
      if (!isArchiverError(error) || error.code === 'cancelled') throw error;
      // The versions below may be sound: they are looked at by themselves.
      this.problems.push(`v${tip.version} was not searched: ${error.message}`);
    }
  }

  private async lookThrough(tip: VersionRecord): Promise<void> {
    const { reader, records, options } = this;
    const lineage = await openLineage(reader, tip, { ...options, records });
    const [full = tip.uploadId] = lineage.uploads.slice(-1);
    this.entries += (records.get(full) ?? tip).totals.entries;
    const ordinals = lineage.uploads.map((uploadId) => records.get(uploadId)?.version);
    const isNew = (version: number | undefined): version is number =>
      version !== undefined && (version === tip.version || !this.seen.has(version));
    // What was found counts when all manifests of the chain have shown that they are sound.
    const found: (readonly [Life, readonly number[]])[] = [];
    for await (const batch of lineage.lives()) {
      for (const life of batch) {
        const versions = ordinals.slice(life.newest, life.oldest + 1).filter(isNew);
        if (versions.length > 0) found.push([life, versions]);
      }
    }
    for (const [{ entry }, versions] of found) this.add(entry, versions);
    this.versions += ordinals.filter(isNew).length;
    for (const version of ordinals) if (version !== undefined) this.seen.add(version);
  }

  private add({ path, type, size, mtime, md5, target }: Entry, versions: readonly number[]): void {
    const known = this.found.get(path) ?? [];
    this.found.set(path, known);
    const entry: HitEntry = {
      path,
      type,
      size,
      mtime,
      ...(md5 === undefined ? {} : { md5 }),
      ...(target === undefined ? {} : { target }),
    };
    const same = known.find((hit) => isSame(hit.entry, entry));
    if (same === undefined) known.push({ entry, versions: [...versions] });
    else same.versions.push(...versions);
  }
}

const isSame = (a: HitEntry, b: HitEntry): boolean =>
  a.type === b.type &&
  (a.type === 'directory' ||
    (a.size === b.size &&
      a.md5 === b.md5 &&
      a.target === b.target &&
      a.mtime.seconds === b.mtime.seconds &&
      a.mtime.nanos === b.mtime.nanos));
