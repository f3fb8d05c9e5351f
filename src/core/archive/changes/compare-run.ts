// Compares what a run has scanned with the version before.
import type { View } from '../../dataset/chain/view.js';
import { recordsContent } from '../run/settings.js';
import type { UploadRun } from '../run/upload-run.js';
import { currentXattrs } from '../scan/current-xattrs.js';
import type { Baseline } from './baseline.js';
import { alike, type CompareOptions, type Comparison, compareWithView } from './compare.js';
import { seedsOf } from '../../format/chunk/content-seeds.js';
import { KnownContents } from './known-contents.js';
import { sameAsBefore } from '../run/same-scan.js';
import { SeenEntries } from './seen-entries.js';
import { referToKnown } from './refer.js';

/** A comparison, and what it has seen. */
export interface Referred extends Comparison {
  readonly seen: SeenEntries;
}

/** The same, and the contents of the version before that may be referred to. */
export interface Compared extends Referred {
  readonly known: KnownContents | undefined;
}

interface CompareRunOptions {
  /** Positions of chunks that must not be referred to. */
  readonly avoid?: ReadonlySet<number>;
  /** An earlier comparison of such a scan will do. */
  readonly mayRecall?: boolean;
  /** Called at once where the scan is known to be another one than the version was compared with before. */
  readonly onChange?: (() => void) | undefined;
}

/** Compares with the baseline. @throws what reading the version throws */
export async function compareRun(
  run: UploadRun,
  { view, entries }: Pick<Baseline, 'view' | 'entries'>,
  { avoid, mayRecall = false, onChange }: CompareRunOptions = {},
): Promise<Compared> {
  const { dataset, labels, scanned, ledger, source, packing } = run;
  const isForced = dataset.changes?.isForced === true;
  const isRead = run.objects !== undefined;
  // What is not on this computer cannot be read to be compared.
  const isKnown = packing.fileChecksums && !isForced && !isRead;
  const known = isKnown ? new KnownContents(ledger.table.count, seedsOf(view.head.uploadId, view.chunks)) : undefined;
  const seen = new SeenEntries(view, ledger.table);
  const options: CompareOptions = {
    table: ledger.table,
    extras: ledger.extras,
    skipped: scanned.skipped,
    young: scanned.young,
    trackDeletes: dataset.changes?.trackDeletes === true,
    isForced,
    readsEmpty: isRead,
    known,
    seen,
    findsCopies: recordsContent(packing),
    ignoreCtime: dataset.changes?.ignoreCtime === true,
    stages: labels.provenance?.ofEntries.stages,
    xattrsOf: currentXattrs(source),
    avoid,
  };
  const before = mayRecall ? await sameAsBefore(run, view) : undefined;
  if (before === false) onChange?.();
  else if (before !== undefined) {
    await entries.close();
    return { ...alike(options, before.gone), known, seen };
  }
  const comparison = await compareWithView(avoid === undefined ? entries : view.entries(), options);
  return { ...comparison, known, seen };
}

/** Refers to content that the earlier version holds under other names or times, instead of packing it. @throws as `referToKnown` */
export async function refer(run: UploadRun, { known, ...compared }: Compared): Promise<Referred> {
  if (known === undefined) return compared;
  return { ...(await referToKnown(run, known, compared)), seen: compared.seen };
}

/** Compares the source folder itself, which is no entry: its mode, owner and time are in the head of a manifest. */
export function isSameRoot({ scanned: { root }, dataset }: UploadRun, { head }: Pick<View, 'head'>): boolean {
  const { mode, uid, gid, mtime } = head.source;
  const isSameTime = root.mtimeSeconds === mtime.seconds && root.mtimeNanos === mtime.nanos;
  const isSame = isSameTime && (root.mode & 0o7777) === mode && root.uid === uid && root.gid === gid;
  return isSame || dataset.origin !== undefined;
}
