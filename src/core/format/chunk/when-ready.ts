// The beginning of what packs or unpacks, mostly a worker thread.
import { readyCodec } from '../../platform/codec/codec.js';
import { readySeededHash } from './seeded-hash.js';

/** Resolves once the codec and the hash of contents can be used. */
export async function ready(): Promise<void> {
  await Promise.all([readyCodec(), readySeededHash()]);
}

/** Calls `start` once they can be used; messages to the thread wait until it listens. */
export function whenReady(start: () => unknown): void {
  // What fails here ends the thread, and whoever has started it is told.
  void ready().then(start);
}
