import { mayBeUploadId, type UploadId } from '../../src/core/store/ids/upload-id.js';

/** The id of an upload as tests write it, which need not be one that the program makes. */
export function asUploadId(text: string): UploadId {
  if (!mayBeUploadId(text)) throw new Error(`'${text}' can be no upload id`);
  return text;
}
