// Why a manifest is not rebuilt although its chunks were looked at.
import { openView } from '../../dataset/chain/view.js';
import { assertSameView } from '../../dataset/prune/same-view.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import type { Choice } from './choose-layers.js';
import type { CurrentManifest } from './current-manifest.js';
import type { Rebuilt } from './rebuild.js';
import type { TableFolder } from './table-folder.js';

interface Site {
  readonly store: Pick<ObjectReader, 'url'>;
  readonly uploadId: UploadId;
  readonly current: CurrentManifest;
  readonly record: VersionRecord | undefined;
}

/** @throws integrity, or not-found for what is no upload, when nothing of the content was found */
export function requireContent(
  { found: { bad } }: TableFolder,
  { totals }: Choice,
  { store, uploadId, current, record }: Site,
): void {
  const place = uploadUrlOf(store.url, uploadId);
  if (totals.entries > 0 || record?.totals.entries === 0) return;
  if (bad.length > 0)
    throw integrityError(
      `${place} cannot be repaired: none of its ${bad.length} chunks has a sound table of contents`,
      {
        hint: `its files may still be read by hand: zstd -dc CHUNK | tar -x (${bad[0]?.key}: ${bad[0]?.reason})`,
      },
    );
  const isKnown = current.state !== 'missing' || record !== undefined;
  if (isKnown) throw integrityError(`${place} cannot be repaired: it has no chunks of its own`);
  throw new ArchiverError('not-found', `there is no upload here: ${place} holds no chunks and no manifest`, {
    hint: `archiver list ${store.url} shows the uploads that there are`,
  });
}

/** @throws unsupported when a sound manifest has more information than its chunks */
export async function assertSame(
  reader: ObjectReader,
  { view }: Rebuilt,
  { uploadId, current, signal }: Pick<Site, 'uploadId' | 'current'> & { readonly signal: AbortSignal },
): Promise<void> {
  const sha256 = current.state === 'missing' ? '' : current.sha256;
  const stored = await openView(reader, { uploadId, sha256, signal });
  try {
    await assertSameView({ ...stored, uploadId }, { ...view, uploadId }, 'what the chunks tell');
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    throw new ArchiverError(
      'unsupported',
      `uploads/${uploadId} was left as it is: its manifest is sound and has information that its chunks lack (${error.message})`,
      { cause: error, hint: 'a sound manifest needs no repair: run without --force' },
    );
  }
}
