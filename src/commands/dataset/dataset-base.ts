// The base that a dataset command looks under: S3_URL, or the part of it that belongs to one writer.
import { usageError } from '../../core/failures/errors.js';
import { joinStoreUrl, splitUploadUrl } from '../../core/object-store/store-url.js';
import { printable } from '../../core/paths/raw-path.js';
import { writerIdOf } from '../upload/engine-options.js';

/** @throws usage for the URL of an upload, and for a writer id that is none */
export function datasetBase(url: string, writerId: string | undefined): string {
  if (splitUploadUrl(url) !== undefined) {
    throw usageError(
      `${printable(url)} is an upload, and datasets lie above uploads/`,
      'leave out /uploads/… at the end',
    );
  }
  const writer = writerIdOf(writerId ?? '');
  return writer === undefined ? joinStoreUrl(url) : joinStoreUrl(url, 'writers', writer);
}
