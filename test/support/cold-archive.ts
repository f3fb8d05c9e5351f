// An upload whose chunks lie in cold storage, on the in-process server; each file is a chunk of its own.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TransferEvent } from '../../src/core/events/events.js';
import type { ObjectStore } from '../../src/core/store/object-store.js';
import { type ColdOptions, retrieve, type Retrieval, type RetrieveOptions } from '../../src/core/restore/retrieve.js';
import { makeArchive, type MadeArchive } from './make-archive.js';
import { type MemoryObject, type MemoryS3, startMemoryS3 } from './memory-s3.js';
import { openTestS3, useTestCredentials } from './open-s3.js';
import { restoreSettings } from './restore-settings.js';
import { tempFolder } from './temp-folder.js';

const BUCKET = 'cold';

export interface ColdArchive {
  readonly s3: MemoryS3;
  readonly store: ObjectStore;
  readonly archive: MadeArchive;
  readonly out: string;
  readonly events: TransferEvent[];
  /** The chunk that holds `file-<index>`. */
  chunk(index: number): MemoryObject;
  chunkKey(index: number): string;
  /** Everything that was requested becomes readable, for some days from now. */
  finishThaws(days?: number): void;
  /** Requests since the last call, as `{GetObject: 1, …}`. */
  requests(): Readonly<Record<string, number>>;
  retrieve(options?: Partial<RetrieveOptions>, cold?: Partial<ColdOptions>): Promise<Retrieval>;
}

/** The value of `x-amz-restore` for a readable copy that stays so many days. */
export const thawedFor = (days: number): string =>
  `ongoing-request="false", expiry-date="${new Date(Date.now() + days * 86_400_000).toUTCString()}"`;

/** Uploads one chunk for each class; `manifestClasses` is what the manifest says of them. */
export async function makeColdArchive(
  classes: readonly string[],
  manifestClasses: readonly string[] = classes,
): Promise<ColdArchive> {
  useTestCredentials();
  const s3 = await startMemoryS3(BUCKET);
  onTestFinished(() => s3.close());
  const archive = makeArchive({
    files: classes.map((_, chunk) => ({ path: `file-${chunk}`, content: randomBytes(5000), chunk })),
    bend: ({ chunks }) => chunks.forEach((chunk, index) => (chunk['storageClass'] = manifestClasses[index])),
  });
  const { store } = await openTestS3(s3.endpoint, BUCKET, { prefix: '' });
  const keys = archive.manifest.chunks.map(({ key }) => `uploads/${archive.uploadId}/${String(key)}`);
  for (const [key, body] of archive.objects) {
    const index = keys.indexOf(key);
    await store.put(key, body, index < 0 ? {} : { storageClass: classes[index] ?? 'STANDARD' });
  }
  const out = join(await tempFolder(), 'out');
  const events: TransferEvent[] = [];
  const stored = (): Map<string, MemoryObject> => s3.buckets.get(BUCKET) ?? new Map<string, MemoryObject>();
  s3.requests.length = 0;
  return {
    s3,
    store,
    archive,
    out,
    events,
    chunkKey: (index) => keys[index] ?? '',
    chunk: (index) => stored().get(keys[index] ?? '')!,
    finishThaws: (days = 7) => {
      for (const object of stored().values()) {
        if (object.restore?.includes('"true"') !== true) continue;
        if (object.archiveTier === undefined) object.restore = thawedFor(days);
        else for (const key of ['archiveTier', 'restore'] as const) delete object[key];
      }
    },
    requests: () => {
      const counts: Record<string, number> = {};
      for (const { operation } of s3.requests.splice(0)) counts[operation] = (counts[operation] ?? 0) + 1;
      return counts;
    },
    retrieve: (options = {}, cold = {}) =>
      retrieve({
        ...restoreSettings(),
        store,
        uploadId: archive.uploadId,
        outputDir: out,
        emit: (event) => events.push(event),
        now: () => new Date(),
        ...options,
        cold: {
          tier: 'standard',
          wait: false,
          days: 7,
          maxCostUsd: undefined,
          pollMs: 20,
          region: 'us-east-1',
          isAws: true,
          ...cold,
        },
      }),
  };
}
