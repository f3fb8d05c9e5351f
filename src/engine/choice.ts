// Resolves the chosen version, and the chosen files.
import { type ChosenUpload, findUpload, type UploadChoice } from '../core/dataset/find-upload.js';
import { parseVersionSelector } from '../core/dataset/records/version-selector.js';
import { usageError } from '../core/platform/failures/errors.js';
import { mayBeUploadId } from '../core/store/ids/upload-id.js';
import type { Selectors } from '../core/format/manifest/selection.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { FileChoice, VersionChoice } from './options.js';
import type { Call } from './session.js';

/** Finds the chosen upload. @throws usage for contradicting options; not-found; what the store throws */
export async function chosenUpload(choice: VersionChoice, { opened, warn, signal, emit }: Call): Promise<ChosenUpload> {
  const note = (text: string): void => emit({ type: 'note', text });
  return await findUpload(opened.store, uploadChoice(choice), { warn, note, signal });
}

function uploadChoice({ dataset, version, uploadId }: VersionChoice): UploadChoice {
  const selector = version === undefined ? ({ kind: 'head' } as const) : parseVersionSelector(String(version));
  if (uploadId === undefined) return { uploadId, dataset, selector, commits: [] };
  if ((dataset ?? version) !== undefined) throw usageError('an upload is named, and a version of a dataset as well');
  if (!mayBeUploadId(uploadId)) throw usageError(`'${printable(uploadId)}' is not an upload id`);
  return { uploadId, dataset, selector, commits: [] };
}

/** The selectors for chosen files. @throws usage for lists that are all empty, which may mean nothing or everything */
export function selectorsOf({ files, patterns, md5s }: FileChoice): Selectors {
  if ((files ?? patterns ?? md5s) === undefined) return { all: true };
  const [paths, globs, digests] = [files ?? [], patterns ?? [], md5s ?? []];
  if (paths.length + globs.length + digests.length === 0)
    throw usageError('nothing is chosen: leave out files, patterns and md5s to take everything');
  return { files: paths, patterns: globs, md5s: digests.map((md5) => md5.toLowerCase()) };
}
