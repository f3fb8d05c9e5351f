// What mends an upload whose manifest is sound and whose chunks are not.
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath, printable } from '../../platform/paths/raw-path.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { uploadUrlOf } from '../../store/ids/upload-id.js';

type Place = Pick<ObjectReader, 'url'>;
type Head = Pick<ManifestHead, 'uploadId' | 'source'>;

/** Where a chunk is not there: a sync looks whether they are. */
export const missingHint = (place: Place, head: Head): string =>
  `archiver sync of ${displayPath(head.source.path)} sends again what of it is still there${leftText(place, head)}`;

/** Where a chunk is there with other bytes, which a sync does not read. */
export const damagedHint = (place: Place, head: Head): string =>
  `archiver sync of ${displayPath(head.source.path)} with --force sends everything again that is still there${leftText(place, head)}`;

/** For what is gone from the source as well: a repair is about manifests, and cannot bring content back. */
const leftText = ({ url }: Place, { uploadId }: Head): string =>
  `; archiver restore ${shellWord(printable(uploadUrlOf(url, uploadId)))} ./out --all gets all other files`;
