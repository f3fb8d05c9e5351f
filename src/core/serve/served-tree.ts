// The folders that are served: all versions of all datasets, by dataset and by the day on which they were made.
//
//   /by-dataset/ID/latest/…  …/v0012/…  …/TAG/…        /by-date/2026-11-20/ID-v12/…
import { hash } from 'node:crypto';
import { baseName, displayPath, joinParts, joinPath, type RawPath, rawFromText } from '../platform/paths/raw-path.js';
import type { VersionRecord } from '../format/manifest/manifest-types.js';
import { isSameVersion, type VersionName, versionName } from '../dataset/records/version-name.js';
import type { ListedVersion } from '../dataset/records/versions.js';
import type { LazyListing } from '../restore/listing/lazy-listing.js';
import type { Listing } from '../restore/listing/listing.js';
import type { OpenVersions } from './open-versions.js';
import type { VersionBook } from './version-book.js';

/** A line of a folder. */
export interface Row {
  readonly name: RawPath;
  readonly kind: 'folder' | 'file' | 'link';
  readonly modified: Date | undefined;
  /** Of a file. */
  readonly file?: FileFacts;
  /** Of a symbolic link, or of a folder that is another name of a version. */
  readonly target?: RawPath;
}

export interface FileFacts {
  readonly sizeBytes: number;
  /** As the manifest knows: cold content has to be requested first. */
  readonly isCold: boolean;
  readonly etag: string;
}

/** A file of a version, in the listing as it was when it was found. */
export interface FoundFile extends FileFacts {
  readonly kind: 'file';
  readonly name: RawPath;
  readonly modified: Date | undefined;
  readonly version: VersionRecord;
  readonly listing: Listing;
  readonly index: number;
}

export interface FoundFolder {
  readonly kind: 'folder';
  readonly modified: Date | undefined;
  readonly rows: () => AsyncIterable<Row> | Iterable<Row>;
  /** What there is to know about it, known when its rows have come. */
  readonly note?: () => string | undefined;
}

export type Found = FoundFile | FoundFolder | { readonly kind: 'none'; readonly reason: string };

const BY_DATASET = rawFromText('by-dataset');
const BY_DATE = rawFromText('by-date');
const LATEST = 'latest';
const ORDINAL = /^v(\d{1,15})(?:\.([a-z]{1,4}))?$/;

export class ServedTree {
  constructor(
    private readonly book: VersionBook,
    private readonly open: OpenVersions,
  ) {}

  /** What lies at a path. @throws what the store and manifests throw */
  async find([top, second, third, ...rest]: readonly RawPath[]): Promise<Found> {
    if (top === undefined) return folder([row(BY_DATASET), row(BY_DATE)]);
    if (top === BY_DATASET) {
      if (second === undefined) return await this.allDatasets();
      return third === undefined
        ? await this.versionsOf(second)
        : await this.within(await this.versionNamed(second, third), rest);
    }
    if (top !== BY_DATE) return nothing('here are by-dataset/ and by-date/');
    if (second === undefined) return folder([...(await this.book.byDay()).keys()].map((day) => row(rawFromText(day))));
    return third === undefined
      ? await this.versionsOn(second)
      : await this.within(await this.madeOn(second, third), rest);
  }

  private async allDatasets(): Promise<Found> {
    const datasets = await this.book.datasets();
    return folder(Array.from(datasets, ([id, versions]) => row(rawFromText(id), versions.at(-1)?.lastModified)));
  }

  private async versionsOf(dataset: RawPath): Promise<Found> {
    const versions = (await this.book.datasets()).get(dataset);
    if (versions === undefined) return nothing(`there is no dataset ${displayPath(dataset)}`);
    const newest = this.book.newest(versions);
    const others = [...(newest === undefined ? [] : [[LATEST, newest] as const]), ...tagsOf(versions)];
    return folder(
      [
        ...others.map(([name, listed]) => row(rawFromText(name), listed.lastModified, rawFromText(folderName(listed)))),
        ...versions.map((listed) => row(rawFromText(folderName(listed)), listed.lastModified)),
      ],
      newest?.lastModified,
    );
  }

  private async versionNamed(dataset: RawPath, name: RawPath): Promise<VersionRecord | undefined> {
    const versions = (await this.book.datasets()).get(dataset) ?? [];
    const [, version, fork] = ORDINAL.exec(name) ?? [];
    const listed =
      name === LATEST
        ? this.book.newest(versions)
        : version === undefined
          ? tagsOf(versions).get(name)
          : versions.find((one) => isSameVersion(one, { version: Number(version), fork }));
    return listed && (await this.book.record(listed));
  }

  private async versionsOn(day: RawPath): Promise<Found> {
    const versions = (await this.book.byDay()).get(day);
    if (versions === undefined) return nothing(`no version was made on ${displayPath(day)} (UTC)`);
    return folder(versions.map(({ listed, record }) => row(nameOn(listed), new Date(record.createdAt))));
  }

  private async madeOn(day: RawPath, name: RawPath): Promise<VersionRecord | undefined> {
    const versions = (await this.book.byDay()).get(day) ?? [];
    return versions.find(({ listed }) => nameOn(listed) === name)?.record;
  }

  private async within(version: VersionRecord | undefined, parts: readonly RawPath[]): Promise<Found> {
    if (version === undefined) return nothing('there is no such version');
    const path = joinParts(parts);
    return await this.open.use(version, async (lazy) => {
      if (parts.length === 0) return folderIn(lazy, path, new Date(version.createdAt));
      const listing = await lazy.readPath(path);
      const index = listing.find(path);
      if (listing.isFolder(path)) return folderIn(lazy, path, index === undefined ? undefined : dateOf(listing, index));
      if (index === undefined) return nothing(`there is no ${displayPath(path)} in this version`);
      const target = listing.extra(index)?.target;
      if (target !== undefined)
        return nothing(`${displayPath(path)} is a symbolic link to ${displayPath(target)}, which is not followed`);
      const modified = dateOf(listing, index);
      return { kind: 'file', name: baseName(path), modified, version, listing, index, ...factsOf(listing, index) };
    });
  }
}

const nothing = (reason: string): Found => ({ kind: 'none', reason });

const folder = (rows: readonly Row[], modified?: Date): FoundFolder => ({ kind: 'folder', modified, rows: () => rows });

const row = (name: RawPath, modified?: Date, target?: RawPath): Row => ({
  name,
  kind: 'folder',
  modified,
  ...(target && { target }),
});

/** `v0012`, so that programs which sort names by their letters show versions in order. */
const folderName = ({ version, fork }: VersionName): string =>
  `v${String(version).padStart(4, '0')}${fork === undefined ? '' : `.${fork}`}`;

const nameOn = (listed: ListedVersion): RawPath => rawFromText(`${listed.datasetId}-${versionName(listed)}`);

/** The newest version with each tag; a tag that reads as the name of a version is none here. */
function tagsOf(versions: readonly ListedVersion[]): ReadonlyMap<string, ListedVersion> {
  const tags = versions.flatMap((listed) => listed.tags.map((tag) => [tag, listed] as const));
  return new Map(tags.filter(([tag]) => tag !== LATEST && !ORDINAL.test(tag)));
}

function folderIn(lazy: LazyListing, path: RawPath, modified: Date | undefined): FoundFolder {
  return { kind: 'folder', modified, rows: () => rowsIn(lazy, path), note: () => refusedNote(lazy.listing) };
}

async function* rowsIn(lazy: LazyListing, above: RawPath): AsyncGenerator<Row> {
  for await (const { name, isFolder } of lazy.names(above)) {
    const { listing } = lazy;
    const index = listing.find(joinPath(above, name));
    const modified = index === undefined ? undefined : dateOf(listing, index);
    const target = index === undefined ? undefined : listing.extra(index)?.target;
    if (isFolder || index === undefined) yield { name, kind: 'folder', modified };
    else if (target !== undefined) yield { name, kind: 'link', modified, target };
    else yield { name, kind: 'file', modified, file: factsOf(listing, index) };
  }
}

/** Paths that would lead elsewhere are in no listing. */
function refusedNote({ refused }: Listing): string | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const more = refused.length > 1 ? ` and ${refused.length - 1} more` : '';
  return `left out of this version: ${displayPath(first.path)} (${first.reason})${more}`;
}

function factsOf(listing: Listing, index: number): FileFacts {
  const sizeBytes = listing.sizeBytes(index);
  return { sizeBytes, isCold: listing.isCold(index), etag: `"${listing.md5(index) ?? ownTag(listing, index)}"` };
}

/** Of content without a digest: a path of an upload never gets other content. */
function ownTag(listing: Listing, index: number): string {
  const { seconds, nanos } = listing.mtime(index);
  const parts = [listing.head.uploadId, listing.path(index), listing.sizeBytes(index), seconds, nanos];
  return hash('sha256', parts.join('\0'), 'hex').slice(0, 32);
}

function dateOf(listing: Listing, index: number): Date | undefined {
  const { seconds, nanos } = listing.mtime(index);
  const date = new Date(seconds * 1000 + nanos / 1e6);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
