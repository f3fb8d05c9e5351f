// Whether a comparison looks at every entry of the version before, or only at those that differ: where it is known beforehand that it does,
// entries are parsed while the source is being listed.
import type { View } from '../../dataset/chain/view.js';
import type { Provenance } from '../../format/manifest/provenance.js';
import { recordsContent } from '../run/settings.js';
import type { UploadRun } from '../run/upload-run.js';

/** What has even an entry that looks as before looked at. */
export interface LookOptions {
  /** Stages by which a path may now belong to another one; undefined to ignore stages. */
  readonly stages?: Provenance['stages'];
  /** Positions of chunks in the view that must not be referred to: their content is packed again. */
  readonly avoid?: ReadonlySet<number> | undefined;
  /** Gather all contents that may be referred to, not only those that are gone or changed. */
  readonly findsCopies?: boolean;
  /** Pack everything again. */
  readonly isForced?: boolean | undefined;
}

export const looksAtEach = ({ isForced, avoid, findsCopies, stages }: LookOptions): boolean =>
  isForced === true || avoid !== undefined || findsCopies === true || stages !== undefined;

/** The same of a comparison with this view, as far as it is known before the source is listed. */
export const willLookAtEach = (
  { dataset, packing, labels }: Pick<UploadRun, 'dataset' | 'packing' | 'labels'>,
  { head }: Pick<View, 'head'>,
): boolean =>
  looksAtEach({
    isForced: dataset.changes?.isForced,
    findsCopies: recordsContent({ ...packing, dedup: packing.dedup ?? head.settings.dedup }),
    stages: labels.provenance?.ofEntries.stages,
  });
