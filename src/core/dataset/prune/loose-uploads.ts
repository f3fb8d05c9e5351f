// Uploads without a version record: being written right now, abandoned, or left by a prune that did not get to its end.
import type { ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../raw-path.js';
import type { ReadRecord } from '../versions.js';
import { atOnce } from '../../at-once.js';
import type { BaseState } from './base-state.js';
import { MANIFESTS_AT_ONCE, manifestOfUpload, referredChunks } from './references.js';
import { newestWrite, type UploadFolder } from './upload-folders.js';

export interface LooseUploads {
  /** Go: this dataset's, or nobody's because they have no manifest. */
  readonly abandoned: readonly UploadFolder[];
  /** Go: a journal names them. */
  readonly unfinished: readonly UploadFolder[];
  /** Chunks that the others refer to. */
  readonly referred: ReadonlySet<string>;
  /** Those of the others that are deltas, with the upload that each builds on. */
  readonly building: readonly { readonly uploadId: string; readonly previous: string }[];
  readonly warnings: readonly string[];
}

export interface LooseOptions {
  readonly datasetId: string;
  readonly abandonedAfterMs: number;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Sorts the uploads without a record. @throws unsupported for a manifest of a newer format, and what the store throws */
export async function sortLoose(reader: ObjectReader, state: BaseState, options: LooseOptions): Promise<LooseUploads> {
  const recorded = new Set([...state.own, ...state.others].map(({ record }) => record.uploadId));
  const sorter = new Sorter(reader, options);
  const others: UploadFolder[] = [];
  for (const folder of state.folders.values()) {
    if (recorded.has(folder.uploadId)) continue;
    if (state.journals.uploads.has(folder.uploadId)) sorter.unfinished.push(folder);
    else others.push(folder);
  }
  await atOnce(others, MANIFESTS_AT_ONCE, (folder) => sorter.add(folder));
  sorter.abandoned.sort((a, b) => (a.uploadId < b.uploadId ? -1 : 1));
  return sorter;
}

class Sorter implements LooseUploads {
  readonly abandoned: UploadFolder[] = [];
  readonly unfinished: UploadFolder[] = [];
  readonly referred = new Set<string>();
  readonly building: { readonly uploadId: string; readonly previous: string }[] = [];
  readonly warnings: string[] = [];

  constructor(
    private readonly reader: ObjectReader,
    private readonly options: LooseOptions,
  ) {}

  async add(folder: UploadFolder): Promise<void> {
    const { uploadId, manifest, unknown } = folder;
    const isAbandoned = this.isAbandoned(folder);
    const [first] = isAbandoned ? unknown : [];
    if (first !== undefined)
      this.warnings.push(`upload ${uploadId} was left alone: ${printable(first.key)} is nothing that archiver writes`);
    const mayGo = isAbandoned && first === undefined;
    // Without a manifest nobody can tell whose it is; a writer of any dataset may still be at it.
    if (manifest === undefined) {
      if (mayGo) this.abandoned.push(folder);
      return;
    }
    const loaded = await manifestOfUpload(this.reader, uploadId, this.options.signal);
    if ('problem' in loaded) {
      this.warnings.push(`upload ${uploadId} was left alone: it has no version, and ${loaded.problem}`);
      return;
    }
    const { head, sealedBy } = loaded;
    if (mayGo && sealedBy === undefined && head.datasetId === this.options.datasetId) {
      this.abandoned.push(folder);
      return;
    }
    for (const { key } of referredChunks(uploadId, head.chunks)) this.referred.add(key);
    if (head.previous !== undefined) this.building.push({ uploadId, previous: head.previous.uploadId });
  }

  private isAbandoned(folder: UploadFolder): boolean {
    const newest = newestWrite(folder);
    const { now, abandonedAfterMs } = this.options;
    return newest !== undefined && now.getTime() - newest.getTime() >= abandonedAfterMs;
  }
}

/** Chunks that removed versions refer to, wherever they lie; a manifest that is damaged tells nothing. */
export async function chunkKeysOfRemoved(
  reader: ObjectReader,
  removed: readonly ReadRecord[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  await atOnce(removed, MANIFESTS_AT_ONCE, async ({ record }) => {
    const loaded = await manifestOfUpload(reader, record.uploadId, signal);
    if ('problem' in loaded) return;
    for (const { key } of referredChunks(record.uploadId, loaded.head.chunks)) keys.add(key);
  });
  return keys;
}
