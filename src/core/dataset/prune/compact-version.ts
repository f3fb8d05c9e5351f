// Makes the manifest of a kept version a full listing, so that the versions before it can be removed. The view stays the
// same, entry for entry. Interrupted at any point, the version reads as before, and the next prune does it again.
import { ArchiverError, integrityError } from '../../failures/errors.js';
import { composeManifest } from '../../manifest/compose-manifest.js';
import type { ManifestHead } from '../../manifest/manifest-types.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { compactView } from '../chain/compact-view.js';
import { lostChunks } from '../chain/lost-chunks.js';
import type { MergedView } from '../chain/merged-view.js';
import { replaceManifest } from '../replace-manifest.js';
import { summarize, type Summary } from '../chain/summarize.js';
import type { ParsedRecord } from '../records/version-record-parse.js';
import { openVersion } from '../chain/version-view.js';
import type { View } from '../chain/view.js';
import { assertShows } from './same-view.js';
import { uploadUrlOf } from '../../manifest/upload-id.js';

/** Compacts the version of this record. @throws conflict, integrity, and what the store throws; the version stays readable */
export async function compactVersion(store: ObjectStore, version: ParsedRecord, signal: AbortSignal): Promise<void> {
  const { uploadId } = version.record;
  const view = await openVersion(store, version.record, signal);
  const [newest] = view.chain;
  // Swapped by a prune that was killed before it changed the record; records are settled for every version afterwards.
  if (newest === undefined || view.head.listing === 'full') return;
  const sealed = view.chain.find(({ sealedBy }) => sealedBy !== undefined);
  if (sealed !== undefined)
    throw new ArchiverError(
      'unsupported',
      `${sealed.key} is encrypted, and its content must not be written unencrypted`,
    );
  const summary = await summarize(view);
  const compacted = compactView(view, summary.used);
  const head = headOf(view, newest.sha256, summary, compacted);
  const next = await composeManifest(head, compacted.entries());
  const expected = { uploadId, sha256: next.sha256, totals: head.totals, ...compacted };
  await replaceManifest(store, {
    uploadId,
    label: 'compact',
    replaced: newest,
    next,
    records: [version],
    change: { listing: 'full', totals: head.totals },
    verify: async (asItWillBe) => await assertShows(asItWillBe, expected, signal),
    signal,
  });
  // What the versions before it show may have been moved and swept while this process was suspended right before the swap.
  const [lost] = await lostChunks(store, { uploadId, chunks: compacted.chunks, fresh: new Set() }, signal);
  if (lost === undefined) return;
  throw integrityError(`version ${version.record.version} is not whole: its manifest names ${lost}, which is missing`, {
    hint: `archiver repair ${uploadUrlOf(store.url, uploadId)}`,
  });
}

function headOf(view: View, sha256: string, { totals, shards }: Summary, { chunks }: MergedView): ManifestHead {
  const { previous: _previous, chain: _chain, view: _view, replaces = [], ...rest } = view.head;
  return {
    ...rest,
    listing: 'full',
    replaces: [...replaces, sha256],
    totals: { ...totals, skipped: view.totals.skipped },
    shards,
    chunks,
  };
}
