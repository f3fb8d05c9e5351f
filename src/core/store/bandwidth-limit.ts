// Limits the rate at which bodies are read. Uploads are paced inside the stores (`paceUpload`), where a body is sent slice by slice: from
// outside a put could only be delayed as a whole and would still be sent in one burst.
import { Transform } from 'node:stream';
import type { ObjectContent, ObjectStore } from './object-store.js';
import { PACED_SLICE_BYTES, type Pace } from '../platform/limits/pace.js';

function pacedBody(content: ObjectContent, pace: Pace): ObjectContent {
  const gone = new AbortController();
  const body = new Transform({
    transform(piece: Buffer, _encoding, done) {
      const passOn = async (): Promise<void> => {
        for (let start = 0; start < piece.byteLength; start += PACED_SLICE_BYTES) {
          const slice = piece.subarray(start, start + PACED_SLICE_BYTES);
          await pace(slice.byteLength, gone.signal);
          this.push(slice);
        }
      };
      passOn().then(() => done(), done);
    },
    destroy(error, callback) {
      gone.abort();
      content.body.destroy();
      callback(error);
    },
  });
  content.body.on('error', (error) => body.destroy(error));
  content.body.pipe(body);
  return { ...content, body };
}

/** Wraps a store so that every body read through it is limited. */
export function limitDownloads<S extends ObjectStore>(store: S, pace: Pace): S {
  return { ...store, get: async (key, options) => pacedBody(await store.get(key, options), pace) };
}
