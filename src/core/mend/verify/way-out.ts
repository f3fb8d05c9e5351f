// Hints for an upload whose manifest is sound but whose chunks are not.
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath, printable } from '../../platform/paths/raw-path.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { uploadUrlOf } from '../../store/ids/upload-id.js';

type Place = Pick<ObjectReader, 'url'>;
type Head = Pick<ManifestHead, 'uploadId' | 'source'>;

/** The hint for missing chunks: a sync notices that they are missing. */
export const missingHint = (place: Place, head: Head): string =>
  `archiver sync of ${displayPath(head.source.path)} sends again what of it is still there${restoreText(place, head)}`;

/** The hint for chunks with other bytes than expected: a sync does not read them, so it needs --force. */
export const damagedHint = (place: Place, head: Head): string =>
  `archiver sync of ${displayPath(head.source.path)} with --force sends everything again that is still there${restoreText(place, head)}`;

/** The hint for files that are gone from the source as well: a repair is about manifests, and cannot bring content back. */
const restoreText = ({ url }: Place, { uploadId }: Head): string =>
  `; archiver restore ${shellWord(printable(uploadUrlOf(url, uploadId)))} ./out --all gets all other files`;
