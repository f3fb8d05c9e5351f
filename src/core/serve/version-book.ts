// The versions of a store, as requests find them: listed again when the last listing is some seconds old, so that new ones appear while the
// server runs. Records never change but to become tombstones, and are read once.
import type { VersionRecord } from '../format/manifest/manifest-types.js';
import type { ArchiverError } from '../platform/failures/errors.js';
import { addTo } from '../platform/lists-by-key.js';
import { printable } from '../platform/paths/raw-path.js';
import type { ObjectReader } from '../store/object-store.js';
import { jumpOf } from '../dataset/records/doubts.js';
import { versionName } from '../dataset/records/version-name.js';
import { type DatasetListing, listDatasets, type ListedVersion, readVersions } from '../dataset/records/versions.js';

/** A LIST costs less than a thousandth of a cent; a page that a browser loads is many requests. */
const LISTED_FOR_MS = 10_000;

export interface VersionBookOptions {
  readonly reader: ObjectReader;
  /** Milliseconds since some fixed moment. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/** A version with its record. */
export interface KnownVersion {
  readonly listed: ListedVersion;
  readonly record: VersionRecord;
}

export class VersionBook {
  private listing: { readonly atMs: number; readonly datasets: Promise<DatasetListing['versions']> } | undefined;
  /** By key and ETag. */
  private readonly records = new Map<string, VersionRecord>();
  private readonly told = new Set<string>();

  constructor(private readonly options: VersionBookOptions) {}

  /** The versions of each dataset, lowest ordinal first. @throws what the store throws */
  async datasets(): Promise<DatasetListing['versions']> {
    const { reader, now, signal } = this.options;
    if (this.listing === undefined || now() - this.listing.atMs >= LISTED_FOR_MS) {
      const listing = { atMs: now(), datasets: listDatasets(reader, signal).then(({ versions }) => versions) };
      this.listing = listing;
      // A listing that failed answers those that waited for it, and no later ones.
      listing.datasets.catch(() => void (this.listing === listing && (this.listing = undefined)));
    }
    return await this.listing.datasets;
  }

  /** The newest of these versions. */
  newest(versions: readonly ListedVersion[]): ListedVersion | undefined {
    const newest = versions.at(-1);
    if (newest === undefined) return undefined;
    // A key that may only put can add a version with any number, but cannot remove one.
    for (const text of jumpOf(newest))
      this.warnOnce(`${versionName(newest)}, the newest of ${printable(newest.datasetId)}, may be forged: ${text}`);
    return newest;
  }

  /** The record of a version; undefined for one that was retired meanwhile. @throws integrity, unsupported, and what the store throws */
  async record(listed: ListedVersion): Promise<VersionRecord | undefined> {
    const [found] = await this.read([listed], (problem) => {
      throw problem;
    });
    return found?.record;
  }

  /** All versions by the day (UTC) on which they were made. Those with records that cannot be read are warned of and left out. */
  async byDay(): Promise<ReadonlyMap<string, readonly KnownVersion[]>> {
    const days = new Map<string, KnownVersion[]>();
    const all = [...(await this.datasets()).values()].flat();
    for (const known of await this.read(all, (problem) => this.warnOnce(problem.message)))
      addTo(days, known.record.createdAt.slice(0, 10), known);
    return new Map([...days].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private async read(
    listed: readonly ListedVersion[],
    onProblem: (problem: ArchiverError) => void,
  ): Promise<readonly KnownVersion[]> {
    const { reader, signal } = this.options;
    const unknown = listed.filter((one) => !this.records.has(nameOf(one)));
    for (const found of await readVersions(reader, unknown, signal))
      if ('record' in found) this.records.set(nameOf(found.listed), found.record);
      else onProblem(found.problem);
    return listed.flatMap((one) => {
      const record = this.records.get(nameOf(one));
      return record === undefined ? [] : [{ listed: one, record }];
    });
  }

  private warnOnce(text: string): void {
    if (this.told.has(text)) return;
    this.told.add(text);
    this.options.warn(text);
  }
}

const nameOf = ({ key, etag }: ListedVersion): string => `${key}\0${etag}`;
