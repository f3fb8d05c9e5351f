// What the other manifests under the base need of one upload: chunks of it that they name, and whether they build on it.
// Always read anew, and only what has changed since it was last read; a manifest that cannot be read may name anything,
// so it stops the caller.
import { loadExpected } from '../dataset/load-chain.js';
const ordinalName = (id: string, version: number): string => `${id}/${version}`;
import { referredChunks } from '../dataset/prune/references.js';
import { emptyFolder, listUploadFolders, type UploadFolder } from '../dataset/prune/upload-folders.js';
import { listAllVersions, readVersions, type ReadRecord } from '../dataset/versions.js';
import { ArchiverError, isArchiverError } from '../errors.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';

const READS_AT_ONCE = 4;

export interface Neighbours {
  /** Records that name the upload. */
  readonly records: readonly ReadRecord[];
  /** The upload is the newest version of its dataset. */
  readonly isNewest: boolean;
  /** `<dataset id>/<ordinal>` of every version under the base. */
  readonly versions: ReadonlySet<string>;
  /** What lies in the upload's own folder. */
  readonly folder: UploadFolder;
  /** Keys below the base that manifests of others name. */
  readonly referred: ReadonlySet<string>;
  /** Uploads whose manifests continue this one's list. */
  readonly building: readonly string[];
}

interface Needs {
  readonly keys: readonly string[];
  readonly previous: string | undefined;
}

/** Looks at the surroundings of one upload, as often as asked. */
export class NeighbourReader {
  private readonly known = new Map<string, Needs>();

  constructor(
    private readonly reader: ObjectReader,
    private readonly uploadId: string,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws integrity, unsupported for what cannot be understood; what the store throws */
  async read(): Promise<Neighbours> {
    const { reader, uploadId, signal } = this;
    const versions = new Set<string>();
    const records: ReadRecord[] = [];
    let isNewest = false;
    for (const [datasetId, listed] of await listAllVersions(reader, signal)) {
      for (const { version } of listed) versions.add(ordinalName(datasetId, version));
      for (const found of await readVersions(reader, datasetId, listed, signal)) {
        if ('problem' in found) throw stopped(found.problem);
        if (found.record.uploadId !== uploadId) continue;
        records.push(found);
        isNewest ||= found.listed.version === listed.at(-1)?.version;
      }
    }
    const folders = await listUploadFolders(reader, signal);
    const needs = await this.needsOf([...folders.values()]);
    return {
      records,
      isNewest,
      versions,
      folder: folders.get(uploadId) ?? emptyFolder(uploadId),
      referred: new Set(needs.flatMap(([, { keys }]) => keys)),
      building: needs.filter(([, { previous }]) => previous === uploadId).map(([id]) => id),
    };
  }

  private async needsOf(folders: readonly UploadFolder[]): Promise<readonly (readonly [string, Needs])[]> {
    const others = folders.filter(({ uploadId }) => uploadId !== this.uploadId);
    const found: (readonly [string, Needs])[] = [];
    for (let start = 0; start < others.length; start += READS_AT_ONCE) {
      const batch = others.slice(start, start + READS_AT_ONCE).map(async ({ uploadId, manifest }) => {
        const needs = manifest && (await this.needs(uploadId, manifest));
        return needs === undefined ? [] : [[uploadId, needs] as const];
      });
      found.push(...(await Promise.all(batch)).flat());
    }
    return found;
  }

  private async needs(uploadId: string, manifest: ObjectInfo): Promise<Needs | undefined> {
    const name = `${manifest.key} ${manifest.etag} ${manifest.lastModified.getTime()}`;
    const known = this.known.get(name);
    if (known !== undefined) return known;
    try {
      const { head } = await loadExpected(this.reader, uploadId, [], { signal: this.signal });
      const own = `uploads/${this.uploadId}/`;
      const keys = referredChunks(uploadId, head.chunks).flatMap(({ key }) => (key.startsWith(own) ? [key] : []));
      const needs = { keys, previous: head.previous?.uploadId };
      this.known.set(name, needs);
      return needs;
    } catch (error) {
      if (isArchiverError(error, 'not-found')) return undefined; // removed since it was listed
      throw isArchiverError(error, 'integrity') || isArchiverError(error, 'unsupported') ? stopped(error) : error;
    }
  }
}

const stopped = (problem: ArchiverError): ArchiverError =>
  new ArchiverError(problem.code, `no chunk was moved: ${problem.message}`, {
    cause: problem,
    hint: problem.hint ?? 'which chunks it needs is not known, so all of them have to stay; repair or remove it first',
  });
