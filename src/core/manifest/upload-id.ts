// What an upload is called: when it began, and eight hex digits, `20251114-093012-1a2b3c4d` (`newUploadId` makes it).
// Nothing else is ever made into a key.

/** For patterns of keys and file names that hold one. */
export const UPLOAD_ID = String.raw`\d{8}-\d{6}-[0-9a-f]{8}`;
const WHOLE = new RegExp(`^${UPLOAD_ID}$`);
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** True for what `newUploadId` makes. */
export const isUploadId = (text: string): boolean => WHOLE.test(text);

/** True for what may be looked for as the name of an upload: nothing that a key or a path could take for more than itself. */
export const mayBeUploadId = (text: string): boolean => SAFE.test(text);
