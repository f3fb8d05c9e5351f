// Archives the objects below a prefix of a bucket like the files of a folder: they are listed, and the scan sees the listing; what is to be
// packed is fetched by GET into a folder of its own, a few chunks at a time, and removed when it is packed (docs/decisions/092).
import { chmodSync, mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiverError, cancelledError, usageError } from '../platform/failures/errors.js';
import { reasonText } from '../platform/failures/errno.js';
import { Slots } from '../platform/limits/byte-budget.js';
import { printable, type RawPath } from '../platform/paths/raw-path.js';
import type { RetrievalChunk } from '../cost/retrieval-cost.js';
import type { OpenedStore } from '../store/open-store.js';
import { archiveInto } from './archive-folder.js';
import { listedFs, LISTED_ROOT } from './objects/listed-fs.js';
import { type ListedObject, type ListedObjects, ObjectCollector } from './objects/listed-objects.js';
import { ObjectFeed } from './objects/object-feed.js';
import type { EntryTable } from '../format/columns/entry-table.js';
import type { Lane } from './run/chunk-task.js';
import type { ObjectsToRead } from './run/objects-to-read.js';
import type { ArchiveOptions } from './run/settings.js';
import { workersFor } from './run/settings.js';
import { scan } from './scan/scan.js';
import { spoolRoot } from './scan/spool-fs.js';
import type { UploadResult } from './upload-result.js';

/** Requests that read objects at once. */
export const READS_AT_ONCE = 16;

export interface ObjectSource {
  readonly open: () => Promise<OpenedStore>;
  /** Folder in which the one for fetched objects is made. */
  readonly tempParent: string;
  /** Called with what will be read. @throws what keeps it from being read */
  readonly mayRead: (needed: readonly RetrievalChunk[], opened: OpenedStore) => Promise<void>;
}

/** Archives objects as the next version of their dataset, into a store that it opens and closes. @throws as `archiveFolder` does */
export async function archiveObjects(
  open: () => Promise<OpenedStore>,
  source: ObjectSource,
  options: Omit<ArchiveOptions, 'source' | 'objects'>,
): Promise<UploadResult> {
  const from = await source.open();
  const ended = new AbortController();
  const requests = new Slots(READS_AT_ONCE);
  const signal = AbortSignal.any([options.signal, ended.signal]);
  try {
    const folder = makeSpool(source.tempParent);
    try {
      const objects = objectsToRead({ from, folder, requests, signal }, source, options);
      return await archiveInto(async () => await openOutside(open, from), {
        ...options,
        source: spoolRoot(folder),
        objects,
      });
    } finally {
      // Reads that nobody waits for any more write into the folder.
      ended.abort(cancelledError());
      await requests.acquire(READS_AT_ONCE);
      await rm(folder, { recursive: true, force: true });
    }
  } finally {
    from.close();
  }
}

/** @throws usage where the destination lies in the source */
async function openOutside(open: () => Promise<OpenedStore>, from: OpenedStore): Promise<OpenedStore> {
  const to = await open();
  const isSameServer = (from.servers?.store ?? null) === (to.servers?.store ?? null);
  if (!isSameServer || !`${to.store.url}/`.startsWith(`${from.store.url}/`)) return to;
  to.close();
  throw usageError(
    `${printable(to.store.url)} lies in ${printable(from.store.url)}, so that each upload would archive those before it`,
    'name a destination outside of the source',
  );
}

function makeSpool(parent: string): string {
  try {
    const folder = mkdtempSync(join(realpathSync(parent), 'archiver-objects-'));
    chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    throw new ArchiverError('io', `cannot make a temporary folder in ${printable(parent)}: ${reasonText(error)}`, {
      hint: 'name a folder that can be written to with --temp-dir',
      cause: error,
    });
  }
}

interface Reading {
  readonly from: OpenedStore;
  readonly folder: string;
  readonly requests: Slots;
  readonly signal: AbortSignal;
}

function objectsToRead(
  { from, folder, requests, signal }: Reading,
  { mayRead }: ObjectSource,
  { packing, dataset }: Pick<ArchiveOptions, 'packing' | 'dataset'>,
): ObjectsToRead {
  let files: ReadonlyMap<RawPath, ListedObject> = new Map();
  const chunksAhead = 2 * (packing?.workers ?? workersFor(packing?.memoryLimitBytes));
  return {
    async list(filter, emit) {
      const listed = await listAll(from, signal, (items) => emit({ type: 'scan', items, bytes: 0 }));
      files = listed.files;
      if (files.size + listed.folders.size + listed.skipped.length === 1 && dataset?.allowMassDelete !== true)
        throw new ArchiverError('not-found', `there is no object below ${printable(from.store.url)}`, {
          hint: 'see how it is spelt; --allow-mass-delete makes a version of it as it is',
        });
      const readText = (): undefined => undefined;
      const result = scan({ fs: listedFs(listed), root: LISTED_ROOT, filter, readText });
      emit({ type: 'scan', items: result.files, bytes: result.bytes });
      return { ...result, skipped: [...listed.skipped, ...result.skipped] };
    },
    mayRead: async (lanes, table) => await mayRead(neededBy(lanes, table, files), from),
    feed: (lanes, table) =>
      new ObjectFeed({ reader: from.store, folder, files, table, lanes, chunksAhead, requests, signal }),
  };
}

async function listAll(
  { store }: OpenedStore,
  signal: AbortSignal,
  onCount: (objects: number) => void,
): Promise<ListedObjects> {
  const found = new ObjectCollector();
  for await (const { objects } of store.list({ withRestoreStatus: true, signal })) {
    for (const info of objects) found.add(info);
    onCount(found.count);
  }
  return found.finish();
}

/** What will be read, by storage class; what lies in cold storage is not. */
function neededBy(
  lanes: readonly Lane[],
  table: EntryTable,
  files: ReadonlyMap<RawPath, ListedObject>,
): readonly RetrievalChunk[] {
  const classes = new Map<string, { bytes: number; gets: number }>();
  for (const { entries, part } of lanes.flat())
    for (const row of entries) {
      const object = files.get(table.path(row));
      if (object === undefined || object.isCold) continue;
      const sums = classes.get(object.storageClass) ?? { bytes: 0, gets: 0 };
      classes.set(object.storageClass, sums);
      sums.bytes += part?.size ?? object.stamp.size;
      sums.gets++;
    }
  return [...classes].map(([storageClass, { bytes: sizeBytes, gets }]) => ({
    sizeBytes,
    storageClass,
    isReadable: true,
    gets,
  }));
}
