// Requests about a bucket as a whole, and about locks in it. Few commands make them: each part is loaded when it is first used.
import type { BucketLifecycle } from '../bucket-lifecycle.js';
import type { BucketLock } from '../bucket-lock.js';
import type { MultipartTrial } from '../bucket-multipart.js';
import type { BucketPosture } from '../bucket-posture.js';
import type { StoreUrl } from '../store-url.js';
import type { S3Connection } from './s3-client.js';

/** Returns a function that calls `load` only once. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => (loading ??= load());
}

export interface S3Bucket {
  readonly lifecycle: BucketLifecycle;
  readonly posture: BucketPosture;
  readonly lock: BucketLock;
  readonly multipart: MultipartTrial;
}

/** Returns the bucket of a connection; keys of `lock` and `multipart` are below the prefix. */
export function s3Bucket(connection: S3Connection, place: Extract<StoreUrl, { kind: 's3' }>): S3Bucket {
  const lifecycle = once(async () => (await import('./s3-lifecycle.js')).s3Lifecycle(connection, place.bucket));
  const posture = once(async () => (await import('./s3-posture.js')).s3Posture(connection, place.bucket));
  const lock = once(async () => (await import('./s3-lock.js')).s3Lock(connection, place));
  const multipart = once(async () => (await import('./s3-multipart-trial.js')).s3MultipartTrial(connection, place));
  return {
    multipart: {
      begin: async (...call) => await (await multipart()).begin(...call),
      copyPart: async (...call) => await (await multipart()).copyPart(...call),
      partBytes: async (...call) => await (await multipart()).partBytes(...call),
    },
    lifecycle: {
      read: async (...call) => await (await lifecycle()).read(...call),
      write: async (...call) => await (await lifecycle()).write(...call),
    },
    posture: { ask: async (...call) => await (await posture()).ask(...call) },
    lock: {
      read: async (...call) => await (await lock()).read(...call),
      checkSight: async (...call) => await (await lock()).checkSight(...call),
      retain: async (...call) => await (await lock()).retain(...call),
    },
  };
}
