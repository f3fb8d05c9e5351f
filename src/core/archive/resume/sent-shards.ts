// Counts what an upload has sent to each of its shards, from its list of chunks. The list is read while it is being written: only what was
// appended since, and an incomplete record is read the next time.
import { stat } from 'node:fs/promises';
import { isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { readLog } from './entry-log.js';

export interface SentShards {
  /** For each shard, by its number: chunks that the store has acknowledged, and their bytes. */
  readonly shards: readonly { readonly chunks: number; readonly bytes: number }[];
  /** Number of sound bytes of the list; the next read starts there. */
  readonly readBytes: number;
  /** Bytes of the list when it was read. */
  readonly fileBytes: number;
}

export const NOTHING_SENT: SentShards = { shards: [], readBytes: 0, fileBytes: 0 };
const SHARD = /\/shard-(\d+)\//;

/**
 * Adds to `before` what was appended since; returns the same object when nothing was. Empty when there is no list.
 * @throws integrity, unsupported for a file of another kind; access-denied, io
 */
export async function readSentShards(path: string, uploadId: UploadId, before = NOTHING_SENT): Promise<SentShards> {
  try {
    const file = await stat(path).catch(undefinedOn('ENOENT'));
    if (file === undefined) return NOTHING_SENT;
    if (file.size === before.fileBytes) return before;
    // When it is shorter, it was started anew.
    const known = file.size < before.readBytes ? NOTHING_SENT : before;
    const { chunks, length } = await readLog(path, uploadId, known.readBytes);
    const shards = [...known.shards];
    for (const { key, record } of chunks) {
      const shard = Number(SHARD.exec(key)?.[1] ?? 0);
      while (shards.length <= shard) shards.push({ chunks: 0, bytes: 0 });
      const sum = shards[shard] ?? { chunks: 0, bytes: 0 };
      shards[shard] = { chunks: sum.chunks + 1, bytes: sum.bytes + record.size };
    }
    return { shards, readBytes: length, fileBytes: file.size };
  } catch (error) {
    throw isArchiverError(error) ? error : fileFailure('read', path, error);
  }
}
