// Checks that a manifest written beside the old one would read correctly in its place.
import { openView } from '../../dataset/chain/view.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { integrityError } from '../../platform/failures/errors.js';
import type { Totals } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readCurrentManifest } from './current-manifest.js';
import { sameContent } from './same-content.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

export interface ExpectedManifest {
  readonly uploadId: UploadId;
  readonly sha256: string;
  /** Totals of the effective view; undefined where its chain need not open yet. */
  readonly totals: Totals | undefined;
  readonly signal: AbortSignal;
}

/** @throws integrity when it is damaged, is not the expected one, or does not open */
export async function verifyRebuilt(reader: ObjectReader, expected: ExpectedManifest): Promise<void> {
  const { uploadId, sha256, totals, signal } = expected;
  const fail = (reason: string): never => {
    throw integrityError(`the rebuilt manifest ${manifestKeyOf(uploadId)} cannot be read back: ${reason}`, {
      hint: 'nothing was replaced; run the repair again',
    });
  };
  const read = await readCurrentManifest(reader, uploadId, signal);
  if (read.state === 'missing') return fail('it is not there');
  if (read.state === 'damaged') return fail(read.reason);
  if (read.sha256 !== sha256) fail('its bytes are others');
  if (totals === undefined) return;
  const view = await openView(reader, { uploadId, sha256, signal });
  if (!sameContent((await summarize(view)).totals, totals)) fail('its view is not as large as it was');
}
