// What an upload is called: when it began, and eight hex digits, `20251114-093012-1a2b3c4d`. Nothing else is ever made into
// a key, and the keys of an upload are made and read here.

declare const isOfUpload: unique symbol;

/** What an upload is called, and nothing that means more than itself in a key or a path. */
export type UploadId = string & { readonly [isOfUpload]: true };

/** For patterns of file names that hold one. */
export const UPLOAD_ID = String.raw`\d{8}-\d{6}-[0-9a-f]{8}`;
const WHOLE = new RegExp(`^${UPLOAD_ID}$`);
const KEY = new RegExp(`^uploads/(${UPLOAD_ID})/(.*)$`, 's');
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** `YYYYMMDD-HHMMSS-<8 hex>`; `random` are four random bytes. */
export function newUploadId(now: Date, random: Uint8Array): UploadId {
  const digits = now.toISOString().replace(/[-:T]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${Buffer.from(random.subarray(0, 4)).toString('hex')}` as UploadId;
}

/** When the upload of this id began, by its writer's clock: milliseconds since 1970; NaN for an id that `newUploadId` has not made. */
export const beganAt = (uploadId: UploadId): number =>
  Date.parse(uploadId.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.*$/, '$1-$2-$3T$4:$5:$6Z'));

/** True for what `newUploadId` makes. */
export const isUploadId = (text: string): text is UploadId => WHOLE.test(text);

/** True for what may be looked for as the name of an upload: nothing that a key or a path could take for more than itself. */
export const mayBeUploadId = (text: string): text is UploadId => SAFE.test(text);

/** The folder of an upload below the base, with a slash at its end. */
export const uploadFolder = (uploadId: UploadId): string => `uploads/${uploadId}/`;

/** The manifest in the folder of an upload. What is written beside it while it is replaced is called `manifest.json.gz.…`. */
export const MANIFEST_NAME = 'manifest.json.gz';

/** Key of an upload's manifest below the base. */
export const manifestKeyOf = (uploadId: UploadId): string => uploadFolder(uploadId) + MANIFEST_NAME;

export interface UploadKey {
  readonly uploadId: UploadId;
  /** What comes after the folder. */
  readonly name: string;
}

/** A key of an upload as its id and what comes after its folder; undefined for any other key. */
export function splitUploadKey(key: string): UploadKey | undefined {
  const [, uploadId, name] = KEY.exec(key) ?? [];
  return uploadId === undefined || name === undefined ? undefined : { uploadId: uploadId as UploadId, name };
}

/** The folder of whatever upload a key lies in, as `uploadFolder` has it. */
export const folderOfKey = (key: string): string => `${key.split('/', 2).join('/')}/`;

/** The URL of an upload below the store of this URL. */
export const uploadUrlOf = (baseUrl: string, uploadId: UploadId): string => `${baseUrl}/uploads/${uploadId}`;
