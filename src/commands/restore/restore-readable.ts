// `archiver download` asks nothing back from cold storage, as that costs money and takes hours: it names the command that does.
import { ArchiverError, isArchiverError } from '../../core/failures/errors.js';
import type { UploadLocation } from '../../core/object-store/store-url.js';
import { printable } from '../../core/paths/raw-path.js';
import { restoreUpload, type RestoreOptions, type RestoreResult } from '../../core/restore/restore.js';
import { shellWord } from '../../ui/shell-word.js';
import { uploadUrl } from '../kit/upload-target.js';

/** Restores what is readable. @throws what `restoreUpload` throws; `cold-storage` with the command that asks it back */
export async function restoreReadable(options: RestoreOptions, target: UploadLocation): Promise<RestoreResult> {
  try {
    return await restoreUpload(options);
  } catch (error) {
    if (!isArchiverError(error, 'cold-storage')) throw error;
    throw new ArchiverError('cold-storage', error.message, { cause: error, hint: restoreCommand(options, target) });
  }
}

function restoreCommand({ selectors, outputDir }: RestoreOptions, target: UploadLocation): string {
  const { files = [], all = false } = selectors;
  // A pattern or a shard is no choice of `restore`.
  const named = files.length > 0 ? files : ['PATH'];
  const what = all ? ['--all'] : named.map((file) => `--file ${shellWord(printable(file))}`);
  return ['archiver restore', shellWord(printable(uploadUrl(target))), shellWord(printable(outputDir)), ...what].join(
    ' ',
  );
}
