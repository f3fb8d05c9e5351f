// The flag of a sweep on a store that does not create a key only once (docs/decisions/060-plain-stores.md): `uploads/<id>/fence-<8
// hex>.json` says that the folder is being swept. Each sweep has a key of its own, so that one that gives up removes only its own flag. A
// sweep puts its flag and then looks for manifest and record; a writer puts these and then looks for flags.
import { splitUploadKey, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

const NAME = /^fence-[0-9a-f]{8}\.json$/;
/** Listings start after this name: flags come next, and nearly nothing else before the manifest. */
const BEFORE = 'fence-';

/** Key of a flag; `random` are four random bytes. */
export const fenceFlagKey = (uploadId: UploadId, random: Uint8Array): string =>
  `${uploadFolder(uploadId)}fence-${Buffer.from(random).toString('hex')}.json`;

/** True for the key of a flag. */
export const isFenceFlag = (key: string): boolean => NAME.test(splitUploadKey(key)?.name ?? '');

/** Listing options that return the flags of an upload, and its manifest. */
export const flagsFrom = (uploadId: UploadId): { readonly prefix: string; readonly startAfter: string } => ({
  prefix: uploadFolder(uploadId),
  startAfter: uploadFolder(uploadId) + BEFORE,
});
