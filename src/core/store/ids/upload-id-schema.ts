// Schemas for the id of an upload in documents.
import * as s from '../../platform/documents/schema.js';
import { isUploadId, mayBeUploadId } from './upload-id.js';

/** An id as this program makes them. */
export const uploadId = s.textOf(isUploadId, 'an upload id');

/** An id that may be looked for. */
export const namedUploadId = s.textOf(mayBeUploadId, 'an upload id');
