// Worker thread: hashes files that may be equal, one after the other, until none is left; several share the work.
import { parentPort } from 'node:worker_threads';
import { errorText } from '../../platform/failures/errors.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { endWork } from '../../platform/threads/end-work.js';
import { whenReady } from '../../format/chunk/when-ready.js';
import { DIGEST_BYTES, FileHasher } from './dedup-hash.js';
import { type EntryTableData, openEntryTable } from '../../format/columns/entry-table.js';
import { openSourceFs } from '../scan/open-source-fs.js';

export interface HashTask {
  readonly table: EntryTableData;
  readonly root: RawPath;
  /** See `FileHashing`. */
  readonly limitBytes: number;
  readonly withMd5: boolean;
  /** Rows, as 32-bit numbers. */
  readonly rows: SharedArrayBuffer;
  /** For each of `rows`, the seed of the XXH64 that is made instead of the SHA-256, as 64-bit numbers. */
  readonly seeds: SharedArrayBuffer | undefined;
  /** `DIGEST_BYTES` for each of `rows`. */
  readonly digests: SharedArrayBuffer;
  /** A byte for each of `rows`: 1 when its digest is made. */
  readonly made: SharedArrayBuffer;
  /** Two 32-bit numbers: the position of the next of `rows`, and 1 to give up. */
  readonly shared: SharedArrayBuffer;
}

export type HashReply = { readonly type: 'done' } | { readonly type: 'failed'; readonly message: string };

function hash(task: HashTask): void {
  const rows = new Uint32Array(task.rows);
  const seeds = task.seeds && new BigUint64Array(task.seeds);
  const digests = Buffer.from(task.digests);
  const made = new Uint8Array(task.made);
  const shared = new Int32Array(task.shared);
  const isStopped = (): boolean => Atomics.load(shared, 1) === 1;
  const { root, limitBytes, withMd5 } = task;
  const table = openEntryTable(task.table);
  const hasher = new FileHasher({ fs: openSourceFs(), table, root, limitBytes, withMd5, isStopped });
  try {
    for (;;) {
      const position = Atomics.add(shared, 0, 1);
      const row = rows[position];
      if (row === undefined || isStopped()) break;
      const digest = digests.subarray(position * DIGEST_BYTES, (position + 1) * DIGEST_BYTES);
      if (hasher.hash(row, digest, seeds?.[position])) made[position] = 1;
    }
  } finally {
    hasher.close();
  }
}

const reply = (message: HashReply): void => parentPort?.postMessage(message);

function receive(task: HashTask | 'end'): void {
  if (task === 'end') return endWork();
  try {
    hash(task);
    reply({ type: 'done' });
  } catch (error) {
    reply({ type: 'failed', message: errorText(error) });
  }
}

whenReady(() => parentPort?.on('message', receive));
