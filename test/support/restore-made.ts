// Restores uploads into new folders.
import { join } from 'node:path';
import { restoreUpload, type RestoreOptions, type RestoreResult } from '../../src/core/restore/restore.js';
import type { ObjectReader } from '../../src/core/store/object-store.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';
import type { MadeArchive } from './make-archive.js';
import { memoryReader, type MemoryReader } from './memory-reader.js';
import { restoreSettings } from './restore-settings.js';
import { tempFolder } from './temp-folder.js';

export interface Restored extends RestoreResult {
  readonly out: string;
  readonly reader: MemoryReader;
}

/** Restores everything unless told otherwise. */
export async function restoreMade(
  archive: Pick<MadeArchive, 'objects' | 'uploadId'>,
  options: Partial<RestoreOptions> = {},
): Promise<Restored> {
  const reader = (options.reader as MemoryReader | undefined) ?? memoryReader(archive.objects);
  return { ...(await restoreFrom(reader, archive.uploadId, options)), reader };
}

/** Restores everything of an upload in any store unless told otherwise; `out` is where it lies. */
export async function restoreFrom(
  reader: ObjectReader,
  uploadId: UploadId,
  options: Partial<Omit<RestoreOptions, 'reader' | 'uploadId'>> = {},
): Promise<RestoreResult & { readonly out: string }> {
  const out = options.outputDir ?? join(await tempFolder(), 'out');
  const result = await restoreUpload({ ...restoreSettings(), uploadId, outputDir: out, ...options, reader });
  return { ...result, out };
}
