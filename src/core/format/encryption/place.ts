// A sealed manifest is bound to the place that it is read from, `[writers/<id>/]uploads/<upload id>`. The bucket and the prefix above are
// no part of it, so that a copied bucket can still be opened.
import type { KeyContext } from '../../store/key-service.js';
import type { UploadId } from '../../store/ids/upload-id.js';

const WRITER = /(?:^|\/)(writers\/[^/]+)$/;

/** The place of an upload in the store at this URL. */
export function placeOf(storeUrl: string, uploadId: UploadId): string {
  const path = storeUrl.replace(/^s3:\/\/[^/]*|^file:\/\//, '');
  const writer = WRITER.exec(path)?.[1];
  return `${writer === undefined ? '' : `${writer}/`}uploads/${uploadId}`;
}

/** The context that KMS and the frames authenticate for the manifest at `place`. */
export const manifestContext = (place: string): KeyContext => ({
  'archiver:format': '1',
  'archiver:kind': 'manifest',
  'archiver:upload': place,
});
