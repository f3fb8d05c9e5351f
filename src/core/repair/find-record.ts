// The version record that names an upload, found by reading records, newest first; and what else there is of its dataset:
// versions after it, which may build on it, and versions before it, retired ones among them, whose folders may hold what
// it refers to.
import { digestsOf } from '../dataset/version-view.js';
import { readVersions, type ReadRecord } from '../dataset/versions.js';
import { isArchiverError } from '../errors.js';
import { Fields } from '../manifest/json-fields.js';
import { parseBoundedJson } from '../manifest/json-guard.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';
import { readAll } from '../object-store/read-content.js';

const READS_AT_ONCE = 16;
const RECORD = /^datasets\/([^/]+)\/v(\d{8,})\.json$/;
const UPLOAD_ID = /^\d{8}-\d{6}-[0-9a-f]{8}$/;
const MAX_RECORD_BYTES = 256 * 1024;
const MAX_DEPTH = 8;

export type FoundRecord = ReadRecord;

/** A version, or what is left of one that was retired. */
export interface OlderUpload {
  readonly uploadId: string;
  /** Digests that its manifest may have; none where no record is left. */
  readonly sha256: readonly string[];
  readonly isRetired: boolean;
}

interface Ordinal {
  readonly version: number;
  readonly object: ObjectInfo;
}

/** What lies under `datasets/`, read as far as it is needed. */
export class RecordSearch {
  /** The version that the upload is. */
  found: FoundRecord | undefined;
  /** Versions of its dataset after it, oldest first. */
  newer: readonly FoundRecord[] = [];
  /** Records that could not be read: the one looked for may be among them. */
  unreadable = 0;
  private before: readonly Ordinal[] = [];

  private constructor(
    private readonly reader: ObjectReader,
    private readonly datasets: ReadonlyMap<string, readonly Ordinal[]>,
    private readonly signal: AbortSignal,
  ) {}

  /** Looks for the record that names this upload. @throws what the store says */
  static async of(reader: ObjectReader, uploadId: string, signal: AbortSignal): Promise<RecordSearch> {
    const search = new RecordSearch(reader, await listOrdinals(reader, signal), signal);
    await search.look(uploadId);
    return search;
  }

  /** How many datasets there are under the base. */
  get datasetCount(): number {
    return this.datasets.size;
  }

  private async look(uploadId: string): Promise<void> {
    for (const [datasetId, listed] of this.datasets) {
      const newer: FoundRecord[] = [];
      for (let end = listed.length; end > 0; end -= READS_AT_ONCE) {
        const start = Math.max(0, end - READS_AT_ONCE);
        const batch = listed.slice(start, end).toReversed();
        for (const read of await this.read(datasetId, batch)) {
          if ('retired' in read) continue;
          if ('problem' in read) this.unreadable += 1;
          else if (read.record.uploadId !== uploadId) newer.unshift(read);
          else {
            this.found = read;
            this.newer = newer;
            this.before = listed.filter(({ version }) => version < read.record.version);
            return;
          }
        }
      }
    }
  }

  /** Uploads that were versions of the dataset before this one, newest first. @throws what the store says */
  async older(): Promise<readonly OlderUpload[]> {
    const datasetId = this.found?.record.datasetId ?? '';
    const older: OlderUpload[] = [];
    for (const read of await this.read(datasetId, this.before.toReversed())) {
      if ('retired' in read) older.push({ uploadId: read.retired, sha256: [], isRetired: true });
      else if (!('problem' in read))
        older.push({ uploadId: read.record.uploadId, sha256: digestsOf(read.record), isRetired: false });
    }
    return older;
  }

  /** Every upload that is, or was, a version of some dataset. @throws what the store says */
  async claimed(): Promise<ReadonlySet<string>> {
    const claimed = new Set<string>();
    for (const [datasetId, listed] of this.datasets) {
      for (const read of await this.read(datasetId, listed)) {
        if ('retired' in read) claimed.add(read.retired);
        else if (!('problem' in read)) claimed.add(read.record.uploadId);
      }
    }
    return claimed;
  }

  private async read(
    datasetId: string,
    ordinals: readonly Ordinal[],
  ): Promise<readonly (FoundRecord | { readonly problem: true } | { readonly retired: string })[]> {
    const { reader, signal } = this;
    const listed = ordinals.map(({ version, object }) => ({ ...object, version }));
    const read = new Map(
      (await readVersions(reader, datasetId, listed, signal)).map((found) => [found.listed.version, found] as const),
    );
    const all = await Promise.all(
      ordinals.map(async ({ version, object }) => {
        const found = read.get(version);
        if (found !== undefined && !('problem' in found)) return found;
        const retired = await readRetired(reader, object.key, signal);
        if (retired !== undefined) return { retired };
        return found === undefined ? undefined : ({ problem: true } as const);
      }),
    );
    return all.filter((found) => found !== undefined);
  }
}

async function listOrdinals(
  reader: ObjectReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Ordinal[]>> {
  const datasets = new Map<string, Ordinal[]>();
  for await (const page of reader.list({ prefix: 'datasets/', signal })) {
    for (const object of page.objects) {
      const [, datasetId, digits] = RECORD.exec(object.key) ?? [];
      if (datasetId === undefined) continue;
      const ordinals = datasets.get(datasetId) ?? [];
      datasets.set(datasetId, ordinals);
      ordinals.push({ version: Number(digits), object });
    }
  }
  // Byte order is the order of ordinals up to eight digits only.
  for (const ordinals of datasets.values()) ordinals.sort((a, b) => a.version - b.version);
  return datasets;
}

/** The upload that a version was before it was retired; undefined for what is no tombstone. */
async function readRetired(reader: ObjectReader, key: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const bytes = await readAll(await reader.get(key, { signal }), MAX_RECORD_BYTES);
    const fields = new Fields(parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, key), key);
    const uploadId = fields.get('type') === 'archiver-tombstone' ? fields.text('uploadId') : '';
    return UPLOAD_ID.test(uploadId) ? uploadId : undefined;
  } catch (error) {
    if (isArchiverError(error, 'not-found') || isArchiverError(error, 'integrity')) return undefined;
    throw error;
  }
}
