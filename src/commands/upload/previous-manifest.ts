// Reads the file of `--prev-manifest`: a manifest on this computer, as it is in the store (.json.gz) or unpacked.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { PreviousFile } from '../../core/archive/run/settings.js';
import { meaningOf, reasonText } from '../../core/platform/failures/errno.js';
import { ArchiverError, errorText, isArchiverError, systemCode } from '../../core/platform/failures/errors.js';
import { headerLength, isSealed, parseHeader, PREAMBLE_BYTES } from '../../core/format/encryption/envelope.js';
import { parseHead } from '../../core/format/manifest/manifest-head-parse.js';
import { mayBeUploadId, type UploadId } from '../../core/store/ids/upload-id.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { decodeUtf8 } from '../../core/platform/text/strict-utf8.js';

/** Size limit of the unpacked manifest; a million entries have 240 MB. */
const MAX_BYTES = 2 ** 30;
const FILES = '"files":[';

/** Reads the manifest. @throws not-found, access-denied, io for the file; integrity, unsupported for its content */
export function readPreviousManifest(path: string): PreviousFile {
  const name = printable(path);
  const bytes = readBytes(path, name);
  if (isSealed(bytes)) return { name, uploadId: sealedUpload(bytes, name) };
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const unpacked = isGzip ? unpack(bytes, name) : bytes;
  const end = unpacked.indexOf(FILES);
  const decoded = decodeUtf8(end < 0 ? unpacked : unpacked.subarray(0, end + FILES.length));
  if (!decoded.ok) throw new ArchiverError('integrity', `--prev-manifest ${name} ${decoded.reason}`);
  const { uploadId } = parseHead(end < 0 ? decoded.text : `${decoded.text}]}`, name).head;
  return { name, uploadId, ...(isGzip ? { bytes } : {}) };
}

/** Returns the upload that an encrypted manifest names. The manifest is then read from the store, which tells whether that is true. */
function sealedUpload(bytes: Buffer, name: string): UploadId {
  const what = `--prev-manifest ${name}`;
  const header = bytes.length < PREAMBLE_BYTES ? undefined : bytes.subarray(0, headerLength(bytes, what));
  if (header === undefined) throw new ArchiverError('integrity', `${what} is cut off`);
  const { place } = parseHeader(header, what);
  const uploadId = place.slice(place.lastIndexOf('/') + 1);
  if (!mayBeUploadId(uploadId)) throw new ArchiverError('integrity', `${what} does not name its upload`);
  return uploadId;
}

function readBytes(path: string, name: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const kind = meaningOf(systemCode(error))?.code ?? 'io';
    throw new ArchiverError(kind, `cannot read --prev-manifest ${name}: ${reasonText(error)}`, { cause: error });
  }
}

function unpack(bytes: Buffer, name: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if (isArchiverError(error)) throw error;
    throw new ArchiverError('integrity', `--prev-manifest ${name} is damaged: ${errorText(error)}`, { cause: error });
  }
}
