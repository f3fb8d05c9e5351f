// The beginning of a worker thread that packs or unpacks.
import { readyCodec } from '../../platform/codec/codec.js';
import { readySeededHash } from './seeded-hash.js';

/** Calls `start` once the codec and the hash of contents can be used; messages to the thread wait until it listens. */
export function whenReady(start: () => unknown): void {
  // What fails here ends the thread, and whoever has started it is told.
  void Promise.all([readyCodec(), readySeededHash()]).then(start);
}
