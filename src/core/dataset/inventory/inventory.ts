// Lists the uploads of a store that are versions of a dataset; every other upload is unfinished or was retired. Each look lists the version
// records once, and reads what is new: the record, which names the upload and states how much is in it, and the front of the manifest. A
// record is written again whenever its manifest is replaced: its ETag vouches for both.
import { strayTexts } from '../records/strays.js';
import { type DatasetListing, listDatasets, type ListedVersion, readVersions } from '../records/versions.js';
import { reasonText } from '../../platform/failures/errno.js';
import { type ArchiverError, type ErrorCode, isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { readManifestFront } from '../../format/manifest/manifest-front.js';
import type { ObjectReader } from '../../store/object-store.js';
import { InventoryChecks } from './inventory-checks.js';
import { inventoryPath, readInventoryCache, writeInventoryCache } from './inventory-cache.js';
import { frontFacts, recordFacts, type StoredUpload } from './stored-upload.js';

export interface Inventory {
  /** Uploads, newest first. */
  readonly uploads: readonly StoredUpload[];
  /** Number of uploads not read yet. */
  readonly unread: number;
  /** Number of uploads of which something cannot be read. */
  readonly unreadable: number;
  /** Sentences about objects beside the datasets, and about a cache that could not be written. */
  readonly note: string | null;
}

export interface ReadInventoryOptions {
  /** Gets what is known so far: once it is listed, and a few times a second while it is read. */
  readonly onPart?: ((part: Inventory) => void) | undefined;
  /** Read again what an earlier look could not read. */
  readonly isAsked?: boolean;
  readonly signal: AbortSignal;
}

export interface InventoryPlace {
  /** Folder on this computer for what is kept from one start to the next. */
  readonly folder: string;
  /** The server, unless it is AWS. */
  readonly server?: string | undefined;
}

/** Number of records and manifests that are read at a time. */
const AT_ONCE = 20;
const PART_MS = 250;
/** After this many failures in a row the store is unreachable, or access to everything is denied. */
const LOST_IN_ROW = 64;
/** Errors that may be gone at the next look. */
const TRANSIENT: readonly ErrorCode[] = ['store', 'stalled', 'io', 'conflict'];

interface Listed {
  readonly datasetId: string;
  readonly listed: ListedVersion;
}

/** Lists the uploads of one store, and remembers what it has read. */
export class Inventories {
  private known: ReadonlyMap<string, StoredUpload> | undefined;
  private last: Inventory | undefined;
  private stray: string | null = null;
  private readonly checks = new InventoryChecks();
  private readonly path: string;

  constructor(
    private readonly reader: ObjectReader,
    private readonly place: InventoryPlace,
  ) {
    this.path = inventoryPath(place.folder, reader.url, place.server);
  }

  /**
   * The uploads that exist now; the same object as before when nothing has changed. @throws what the listing throws; store, access-denied
   * when nothing can be read
   */
  async look({ onPart, isAsked = false, signal }: ReadInventoryOptions): Promise<Inventory> {
    const known = this.known ?? (await this.kept());
    const { versions, stray, checks } = await listed(this.reader, signal);
    await this.checks.read(this.reader, checks, signal);
    const found = new Map<string, StoredUpload>();
    for (const { listed } of versions) {
      const before = known.get(listed.key);
      const isAgain = isAsked ? before?.problem !== null : TRANSIENT.some((code) => code === before?.problem?.code);
      if (before?.etag === listed.etag && !isAgain) found.set(listed.key, this.checked(asListed(before, listed)));
    }
    const isSame =
      found.size === this.last?.uploads.length && this.last.uploads.every((one) => found.get(one.id) === one);
    this.known = found;
    const news = versions.filter(({ listed }) => !found.has(listed.key));
    const isAsBefore = news.length === 0 && isSame && stray === this.stray;
    this.stray = stray;
    if (isAsBefore && this.last !== undefined) return this.last;
    return await this.read(news, found, { onPart, signal });
  }

  private async read(
    news: readonly Listed[],
    found: Map<string, StoredUpload>,
    { onPart, signal }: ReadInventoryOptions,
  ): Promise<Inventory> {
    let unread = news.length;
    let [lostInRow, toldAt] = [0, performance.now()];
    onPart?.(inventoryOf(found, unread, this.stray));
    let note: string | null = null;
    try {
      await forEachLimit(news, AT_ONCE, async (one) => {
        const read = await readUpload(this.reader, one, signal);
        unread--;
        if (read !== undefined) found.set(one.listed.key, this.checked(read.upload));
        lostInRow = read?.lost === undefined ? 0 : lostInRow + 1;
        if (lostInRow >= LOST_IN_ROW) throw read?.lost;
        if (onPart === undefined || performance.now() - toldAt < PART_MS) return;
        onPart(inventoryOf(found, unread, this.stray));
        toldAt = performance.now();
      });
    } finally {
      if (unread < news.length) note = await this.keep(found);
    }
    const notes = [this.stray, note].filter((text) => text !== null);
    this.last = inventoryOf(found, 0, notes.length === 0 ? null : notes.join('; '));
    return this.last;
  }

  private checked(upload: StoredUpload): StoredUpload {
    const checks = this.checks.of(upload);
    return checks === upload.checks ? upload : { ...upload, checks };
  }

  private async kept(): Promise<ReadonlyMap<string, StoredUpload>> {
    const kept = await readInventoryCache(this.path);
    return new Map(kept.map((one) => [one.id, { ...one, tags: NO_TAGS, checks: null, problem: null }]));
  }

  /** Writes the cache. Returns the reason why it could not be written, or null. */
  private async keep(found: ReadonlyMap<string, StoredUpload>): Promise<string | null> {
    const whole = newestFirst(found).filter(({ problem }) => problem === null);
    try {
      await writeInventoryCache(
        this.path,
        this.place.folder,
        whole.map(({ tags: _tags, fork: _fork, checks: _checks, problem: _problem, ...kept }) => kept),
      );
      return null;
    } catch (error) {
      return `what was read is not kept for the next start: ${reasonText(error)}`;
    }
  }
}

const NO_TAGS: readonly string[] = [];

const asListed = (upload: StoredUpload, { tags, fork }: ListedVersion): StoredUpload =>
  upload.tags.join() === tags.join() && upload.fork === fork ? upload : { ...upload, tags, fork };

interface Listing {
  /** Versions, newest first. */
  readonly versions: readonly Listed[];
  /** A sentence about objects beside the datasets. */
  readonly stray: string | null;
  readonly checks: DatasetListing['checks'];
}

async function listed(reader: ObjectReader, signal: AbortSignal): Promise<Listing> {
  const { versions, strays, checks } = await listDatasets(reader, signal);
  const found = [...versions].flatMap(([datasetId, its]) => its.map((listed) => ({ datasetId, listed })));
  const sorted = found.toSorted((a, b) => b.listed.lastModified.getTime() - a.listed.lastModified.getTime());
  return { versions: sorted, stray: strayTexts(strays)[0] ?? null, checks };
}

const newestFirst = (found: ReadonlyMap<string, StoredUpload>): readonly StoredUpload[] =>
  [...found.values()].sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));

function inventoryOf(found: ReadonlyMap<string, StoredUpload>, unread: number, note: string | null): Inventory {
  const uploads = newestFirst(found);
  return { uploads, unread, unreadable: uploads.filter(({ problem }) => problem !== null).length, note };
}

interface ReadUpload {
  readonly upload: StoredUpload;
  /** The error when the store could not be read. */
  readonly lost: ArchiverError | undefined;
}

/** Reads a version; undefined when it has gone since it was listed. @throws cancelled, and errors that are no failure of reading */
async function readUpload(
  reader: ObjectReader,
  { datasetId, listed }: Listed,
  signal: AbortSignal,
): Promise<ReadUpload | undefined> {
  const { version, fork, tags, key: id, etag, lastModified } = listed;
  const unknown = { createdAt: lastModified.toISOString(), record: null, front: null, checks: null, problem: null };
  let upload: StoredUpload = { id, etag, datasetId, version, fork, tags, ...unknown };
  try {
    const [read] = await readVersions(reader, [listed], signal);
    if (read === undefined) return undefined;
    if ('problem' in read) throw read.problem;
    const record = recordFacts(read.record);
    upload = { ...upload, record, createdAt: record.createdAt };
    const front = record.isEncrypted ? undefined : await readManifestFront(reader, record.uploadId, signal);
    const about = front === undefined ? { record: { ...record, isEncrypted: true } } : { front: frontFacts(front) };
    return { upload: { ...upload, ...about }, lost: undefined };
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    const { code, message } = error;
    return { upload: { ...upload, problem: { code, message } }, lost: isLost(error) ? error : undefined };
  }
}

const isLost = ({ code }: ArchiverError): boolean =>
  code === 'access-denied' || code === 'credentials' || TRANSIENT.includes(code);
