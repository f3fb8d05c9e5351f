// Restores a made archive into a new folder.
import { restoreUpload, type RestoreOptions, type RestoreResult } from '../../src/core/restore/restore.js';
import type { MadeArchive } from './make-archive.js';
import { memoryReader, type MemoryReader } from './memory-reader.js';
import { tempFolder } from './temp-folder.js';
import { join } from 'node:path';

export interface Restored extends RestoreResult {
  readonly out: string;
  readonly reader: MemoryReader;
}

/** Restores everything unless told otherwise. */
export async function restoreMade(
  archive: Pick<MadeArchive, 'objects' | 'uploadId'>,
  options: Partial<RestoreOptions> = {},
): Promise<Restored> {
  const out = options.outputDir ?? join(await tempFolder(), 'out');
  const reader = (options.reader as MemoryReader | undefined) ?? memoryReader(archive.objects);
  const result = await restoreUpload({
    operation: 'restore',
    uploadId: archive.uploadId,
    outputDir: out,
    selectors: { all: true },
    overwrite: 'if-changed',
    flatten: false,
    verifyFiles: true,
    keepSpecialBits: false,
    dryRun: false,
    requestsAtOnce: 4,
    fillsCache: false,
    emit: () => undefined,
    signal: new AbortController().signal,
    ...options,
    reader,
  });
  return { ...result, out, reader };
}
