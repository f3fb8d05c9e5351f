// Runs the upload service in this process (its workers from the last build) on a store that tests may break.
import { join } from 'node:path';
import { archiveFolder } from '../../../src/core/archive/archive-folder.js';
import type { Remembered } from '../../../src/core/archive/run/remembered.js';
import type {
  ArchiveOptions,
  DatasetOptions,
  LabelOptions,
  LayoutOptions,
  PackingOptions,
  ResumeOptions,
} from '../../../src/core/archive/run/settings.js';
import type { UploadResult } from '../../../src/core/archive/upload-result.js';
import type { TransferEvent } from '../../../src/core/events/events.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ListOptions, ObjectStore, WholeStore } from '../../../src/core/store/object-store.js';
import { newRequestCounts } from '../../../src/core/store/request-count.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { MIB } from './trees.js';
import { raw } from '../../support/raw.js';

export interface UploadRun {
  readonly events: TransferEvent[];
  /** `<method> <key>` of every request, in the order they were made. */
  readonly calls: string[];
  readonly result: Promise<UploadResult>;
}

/** All of an upload's settings in one bag: tests change few of them. */
export interface UploadRunOptions
  extends
    Partial<PackingOptions>,
    Partial<LayoutOptions>,
    Partial<LabelOptions>,
    Partial<Omit<DatasetOptions, 'id'>>,
    Partial<Omit<ResumeOptions, 'saved'>>,
    Remembered,
    Pick<ArchiveOptions, 'filter' | 'failFast' | 'transfer' | 'dryRun' | 'now' | 'randomBytes' | 'warn'> {
  readonly datasetId?: string | undefined;
  readonly resume?: ResumeOptions['saved'];
  /** Instead of the folder that is given. */
  readonly source?: string;
  readonly signal?: AbortSignal;
  readonly wrap?: (store: WholeStore) => ObjectStore;
  readonly onEvent?: (event: TransferEvent) => void;
}

/** Uploads `source` into the folder `base`. */
export function uploadFolder(
  given: string,
  base: string,
  { wrap, onEvent, ...options }: UploadRunOptions = {},
): UploadRun {
  const events: TransferEvent[] = [];
  const calls: string[] = [];
  const plain = fileStore(base);
  let ids = 0;
  const store = recorded({ ...plain, ...wrap?.(plain) }, calls);
  const {
    source = given,
    filter,
    failFast,
    transfer,
    dryRun,
    warn,
    now,
    randomBytes,
    signal,
    cache,
    heads,
    looks,
    scans,
  } = options;
  const only = <T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
  const { host, writerId, origin, encryption, changes, allowMassDelete, newStore } = options;
  const { frameBytes, compressionLevel, fileChecksums, dedup, workers, memoryLimitBytes } = options;
  const { shardStrategy, shardCount, chunkBytes, storageClass, tiers, direct } = options;
  const { tool, tags, project, provenance, journal, readsBack, cleansUp } = options;
  const clear = { kmsKeyId: undefined, encryptManifest: false, keep: false };
  const result = archiveFolder({
    source: raw(source),
    store: {
      store,
      deleter: store,
      requests: newRequestCounts(),
      retries: () => 0,
      isAws: false,
      createOnce: 'yes',
      close: () => undefined,
    },
    remembered: { cache, heads, looks, scans },
    ...only({ failFast, transfer, dryRun, warn, filter: { skipTrees: [], ...filter } }),
    dataset: {
      host: 'test-host',
      encryption: clear,
      id: options.datasetId,
      ...only({ host, writerId, origin, encryption, changes, allowMassDelete, newStore }),
    },
    packing: {
      compressionLevel: 1,
      frameBytes: 64 * 1024,
      workers: 1,
      memoryLimitBytes: 192 * MIB,
      ...only({ frameBytes, compressionLevel, fileChecksums, dedup, workers, memoryLimitBytes }),
    },
    layout: { shardCount: 4, ...only({ shardStrategy, shardCount, chunkBytes, storageClass, tiers, direct }) },
    labels: { tool: 'archiver test', ...only({ tool, tags, project, provenance }) },
    resume: { saved: options.resume, ...only({ journal, readsBack, cleansUp }) },
    now: now ?? (() => new Date('2026-03-04T05:06:07Z')),
    randomBytes: randomBytes ?? (() => Buffer.from([1, 2, 3, 4 + ids++])),
    signal: signal ?? new AbortController().signal,
    emit: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  result.catch(() => undefined);
  return { events, calls, result };
}

function recorded(store: WholeStore, calls: string[]): WholeStore {
  return {
    ...store,
    put: (key, body, options) => {
      calls.push(`put ${key}`);
      return store.put(key, body, options);
    },
    get: (key, options) => {
      calls.push(`get ${key}`);
      return store.get(key, options);
    },
    list: (options) => {
      calls.push(`list ${options?.prefix ?? ''}`);
      return store.list(options);
    },
    delete: (keys, signal) => {
      calls.push(...keys.map((key) => `delete ${key}`));
      return store.delete(keys, signal);
    },
  };
}

export const accessDenied = (what: string): StoreError =>
  new StoreError('access-denied', `${what} is not allowed`, { reason: 'AccessDenied' });

/** A 412; `afterRetry`: the request had been sent before, and its answer was lost. */
export const preconditionFailed = (afterRetry: boolean): StoreError =>
  new StoreError('conflict', 'the object exists', { reason: 'PreconditionFailed', afterRetry });

/** What credentials may do beside writing. */
export type Access = 'may read' | 'may only list' | 'may neither read nor list';

/** The store as a writer with less access sees it; its listing gives MD5s as ETags, as S3 does. */
export function withAccess<S extends ObjectStore>(store: S, access: Access, etagOf: (key: string) => string): S {
  if (access === 'may read') return store;
  return {
    ...store,
    get: () => Promise.reject(accessDenied('s3:GetObject')),
    list: async function* (options?: ListOptions) {
      if (access === 'may neither read nor list') throw accessDenied('s3:ListBucket');
      for await (const page of store.list(options)) {
        yield { ...page, objects: page.objects.map((object) => ({ ...object, etag: etagOf(object.key) })) };
      }
    },
  };
}

export const folderOf = (base: string): string => join(base, 'uploads', '20260304-050607-01020304');
export const FOLDER = 'uploads/20260304-050607-01020304';
