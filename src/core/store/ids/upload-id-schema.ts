// The id of an upload in documents.
import * as s from '../../platform/documents/schema.js';
import { isUploadId, mayBeUploadId } from './upload-id.js';

/** One that this program makes. */
export const uploadId = s.textOf(isUploadId, 'an upload id');

/** One that may be looked for. */
export const namedUploadId = s.textOf(mayBeUploadId, 'an upload id');
