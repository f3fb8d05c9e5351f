// The lists of the parts of a plan, made of a source that is held whole.
import { type EntryTable, KIND } from '../../format/columns/entry-table.js';
import { entryLine, type LineSources } from '../../format/manifest/entry-line.js';
import { GzipText } from '../../format/manifest/gzip-text.js';
import type { SegmentPlace, Totals } from '../../format/manifest/manifest-types.js';
import type { PlanHead } from '../../format/parts/part-documents.js';
import type { Share } from '../../format/parts/share-documents.js';
import { bytesOf, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { planUpload, sharedPieceBytes, type UploadPlan } from '../plan/plan-upload.js';
import { plannedAmounts } from '../plan/planned-amounts.js';
import type { PlannedAmounts } from '../run/upload-gate.js';
import { lineSources } from '../run/upload-provenance.js';
import type { UploadRun } from '../run/upload-run.js';
import type { ScanResult } from '../scan/scan.js';
import { cutParts, isToPack, numberGroups, type PartSize, type RowShare } from './cut-parts.js';

/** A part before it is put. */
export interface ListedPart {
  /** First path; that of the source for no entries. */
  readonly first: RawPath;
  readonly entries: number;
  /** Everything but folders. */
  readonly files: number;
  readonly bytes: number;
  readonly shares: readonly Share[];
  /** Makes its list as it is stored. The bytes are those of this part until the next list is made. */
  readonly list: () => Promise<Buffer>;
}

/** What a plan has found, and its parts. */
export interface PlannedLists extends Pick<PlanHead, 'spanning' | 'linkGroups'> {
  readonly parts: readonly ListedPart[];
  readonly totals: Totals;
  readonly scanned: Pick<ScanResult, 'files' | 'bytes' | 'leftOut' | 'skipped'>;
  readonly sizes: Pick<UploadPlan, 'shards' | 'chunkBytes'>;
  readonly amounts: PlannedAmounts;
  /** Storage classes of what is to be packed. */
  readonly classes: Iterable<string>;
}

/** Cuts what is pending in the table of a run into parts. */
export function listsOfTable(run: UploadRun, partSize: PartSize): PlannedLists {
  const { table } = run.ledger;
  const { scanned } = run;
  const plan = planUpload(run, pendingTotals(table));
  const ranges = cutParts(table, partSize, sharedPieceBytes(run, plan.pending.bytes));
  const { all: linkGroups, ...spanning } = numberGroups(table, ranges);
  const sources = lineSources(run.labels.provenance);
  const parts = ranges.map(({ start, end, entries, files, bytes, shares: cut }): ListedPart => {
    const first = start === end ? TOP : table.path(start);
    const shares = cut.map(({ row, ...share }) => shareOf(table.path(row), share));
    return { entries, files, bytes, shares, first, list: () => listOf(table, { start, end }, sources) };
  });
  return {
    parts,
    spanning,
    linkGroups,
    totals: plannedTotals(countsOf(table), scanned.skipped.length),
    scanned,
    sizes: plan,
    amounts: plannedAmounts(run, plan),
    classes: plan.lanes.flat().map(({ storageClass }) => storageClass),
  };
}

/** Pieces of the file at a path. */
export const shareOf = (path: RawPath, { first, last, of, pieceBytes }: Omit<RowShare, 'row'>): Share => ({
  path: bytesOf(path).toString('base64'),
  first,
  last,
  of,
  pieceBytes,
});

/** The list of these rows as it is stored: one gzip member. */
export async function listOf(
  table: EntryTable,
  { start, end }: { readonly start: number; readonly end: number },
  sources: LineSources,
): Promise<Buffer> {
  const text = new GzipText();
  for (let index = start; index < end; index++) {
    if (!isToPack(table, index)) continue;
    if (!text.add(`${entryLine(table, index, sources)}\n`)) await text.drained();
  }
  return await text.finish();
}

/** The totals of a plan: what it stores is not known. */
export const plannedTotals = (counts: SegmentPlace['counts'], skipped: number): Totals => ({
  ...counts,
  storedBytes: 0,
  chunks: 0,
  skipped,
});

/** Counts what is to be packed. */
export function countsOf(table: EntryTable): SegmentPlace['counts'] {
  const { kind, size } = table.columns;
  const kinds = [0, 0, 0, 0];
  let bytes = 0;
  for (let index = 0; index < table.count; index++) {
    if (!isToPack(table, index)) continue;
    kinds[kind[index] ?? 0] = (kinds[kind[index] ?? 0] ?? 0) + 1;
    if (kind[index] === KIND.file || kind[index] === KIND.hardlink) bytes += size[index] ?? 0;
  }
  const [regular = 0, directories = 0, symlinks = 0, hardlinks = 0] = kinds;
  const files = regular + symlinks + hardlinks;
  return { entries: files + directories, files, directories, symlinks, hardlinks, bytes };
}
