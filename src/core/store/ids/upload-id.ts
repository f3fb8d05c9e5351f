// What an upload is called: when it began, and eight hex digits, `20251114-093012-1a2b3c4d`. Nothing else is ever made into
// a key, and the keys of an upload are made and read here.

declare const isOfUpload: unique symbol;

/** The id of an upload: text that means nothing but itself in a key or a path. */
export type UploadId = string & { readonly [isOfUpload]: true };

/** Regular expression for an upload id, for patterns of file names that contain one. */
export const UPLOAD_ID = String.raw`\d{8}-\d{6}-[0-9a-f]{8}`;
const WHOLE = new RegExp(`^${UPLOAD_ID}$`);
const KEY = new RegExp(`^uploads/(${UPLOAD_ID})/(.*)$`, 's');
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Makes a new id, `YYYYMMDD-HHMMSS-<8 hex>`; `random` are four random bytes. */
export function newUploadId(now: Date, random: Uint8Array): UploadId {
  const digits = now.toISOString().replace(/[-:T]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${Buffer.from(random.subarray(0, 4)).toString('hex')}` as UploadId;
}

/** Returns when the upload of this id began, by its writer's clock, in ms since 1970; NaN for an id that `newUploadId` has not made. */
export const uploadStartMs = (uploadId: UploadId): number =>
  Date.parse(uploadId.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.*$/, '$1-$2-$3T$4:$5:$6Z'));

/** Whether a text has the form that `newUploadId` makes. */
export const isUploadId = (text: string): text is UploadId => WHOLE.test(text);

/** Whether a text may be looked for as an upload id: nothing that could mean more than itself in a key or a path. */
export const mayBeUploadId = (text: string): text is UploadId => SAFE.test(text);

/** The folder of an upload below the base, with a slash at its end. */
export const uploadFolder = (uploadId: UploadId): string => `uploads/${uploadId}/`;

/** Name of the manifest in the folder of an upload. Objects written beside it while it is replaced are called `manifest.json.gz.…`. */
export const MANIFEST_NAME = 'manifest.json.gz';

/** Returns the key of an upload's manifest below the base. */
export const manifestKeyOf = (uploadId: UploadId): string => uploadFolder(uploadId) + MANIFEST_NAME;

export interface UploadKey {
  readonly uploadId: UploadId;
  /** The part of the key after the folder. */
  readonly name: string;
}

/** Splits a key of an upload into its id and the part after its folder; undefined for any other key. */
export function splitUploadKey(key: string): UploadKey | undefined {
  const [, uploadId, name] = KEY.exec(key) ?? [];
  return uploadId === undefined || name === undefined ? undefined : { uploadId: uploadId as UploadId, name };
}

/** Returns the folder of the upload that a key lies in, as `uploadFolder` gives it. */
export const folderOfKey = (key: string): string => `${key.split('/', 2).join('/')}/`;

/** Returns the URL of an upload below the store at this URL. */
export const uploadUrlOf = (baseUrl: string, uploadId: UploadId): string => `${baseUrl}/uploads/${uploadId}`;
