// Opens the data key of a manifest with the key service of the store that it is read from.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { KEY_BYTES } from '../../store/key-service.js';
import { manifestContext, placeOf } from './place.js';
import type { UnsealOptions } from './unsealer.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** Options for opening the manifest of an upload; `what` names it in messages. */
export function manifestUnsealing(
  reader: ObjectReader,
  uploadId: UploadId,
  what: string,
  signal: AbortSignal | undefined,
): UnsealOptions {
  const place = placeOf(reader.url, uploadId);
  const context = manifestContext(place);
  return {
    what,
    place,
    context,
    openKey: async (wrapped) => {
      const named = printable(wrapped.kmsKeyId);
      if (reader.keys === undefined)
        throw new ArchiverError('unsupported', `${what} is encrypted with ${named}, and cannot be decrypted here`);
      try {
        const dataKey = await reader.keys.decrypt(wrapped, context, signal);
        if (dataKey.length === KEY_BYTES) return dataKey;
        throw new ArchiverError('integrity', `its data key has ${dataKey.length} bytes instead of ${KEY_BYTES}`);
      } catch (error) {
        if (!isArchiverError(error) || error.code === 'cancelled') throw error;
        throw new ArchiverError(
          error.code,
          `${what} is encrypted with ${named} and cannot be opened: ${error.message}`,
          {
            hint: error.hint,
            cause: error,
          },
        );
      }
    },
  };
}
