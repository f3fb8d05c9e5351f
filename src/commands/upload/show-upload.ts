// The output of `upload` and `sync`, and the exit status that goes with it.
import type { Context, Pricing } from '../../cli/context.js';
import type { ChangeCounts } from '../../core/archive/run/change-counts.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import type { UploadReport, UploadParts } from '../../cli/slots.js';
import { type DryRun, isDryRun, plannedDocument, plannedFacts } from './dry-run.js';
import { actualCost, actualCostDocument, actualCostFacts } from './actual-cost.js';
import { dvcLines } from './dvc-lines.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { finalLines } from '../../screens/progress/final-lines.js';
import { leftOutLines, problemLines } from '../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';

/** Additions of features to the result of an upload. */
export interface UploadExtras {
  /** Findings about the store, as keys of the document. */
  readonly found: UploadParts;
  /** Report of the work that followed the commit. */
  readonly after?: UploadReport | undefined;
}

/** The JSON document of the result. */
export function uploadDocument(result: UploadResult, context: Pricing, { found, after }: UploadExtras) {
  const {
    partial: _,
    changes,
    shards: shardCount,
    planned: _p,
    destination: _d,
    billed: _b,
    measured: _m,
    ...rest
  } = result;
  const { gates: _gates, ...document }: typeof rest & Partial<Pick<DryRun, 'gates'>> = rest;
  const cost = actualCost(result, context);
  return {
    ...document,
    shardCount,
    ...changes,
    ...after?.document,
    ...(cost === undefined ? {} : { cost: actualCostDocument(cost) }),
    ...found,
    ...(isDryRun(result) ? plannedDocument(result, context) : {}),
  };
}

/** The document and the text of the result. */
export function shownUpload(result: UploadResult, context: Context, extras: UploadExtras) {
  return {
    document: uploadDocument(result, context, extras),
    text: () => `${[...resultLines(result, context), ...(extras.after?.lines ?? [])].join('\n')}\n`,
  };
}

/** True if something that should be in the archive, or beside it, is missing or torn. */
export const isPartial = ({ partial }: UploadResult, after?: UploadReport): boolean =>
  partial || after?.isPartial === true;

function resultLines(result: UploadResult, context: Context): string[] {
  const { version, skipped, changes, datasetId } = result;
  const look = lookOf(context.colors.stdout, context.env);
  if (version === null) return dryRunLines(result, problemLines('left out', skipped, look), context);
  const counts = changes === undefined ? [] : [`  changes   ${changesText(changes)}`];
  if (changes?.noChanges === true) {
    const first = `no changes: dataset ${datasetId} stays at version ${version}`;
    return [first, ...leftOutLines(skipped, look), ...counts, ...dvcLines(result), ...keyLines(result)];
  }
  const [headline = '', ...details] = finalLines(
    { ...result, version, operation: 'upload', isDifference: isDifference(changes), problems: skipped },
    look,
  );
  return [
    headline,
    ...counts,
    ...savedLines(result),
    ...dvcLines(result),
    ...keyLines(result),
    ...actualCostFacts(actualCost(result, context)),
    ...details,
  ];
}

function savedLines({ deduplicated, changes }: UploadResult): string[] {
  // A sync looks for equal files without being told to, so finding none is not worth a line.
  if (deduplicated === undefined || (changes !== undefined && deduplicated.files === 0)) return [];
  const { files, bytes } = deduplicated;
  return [
    `  equal     ${formatQuantity(files, 'file')} stored with others of the same content, ${formatBytes(bytes)} saved`,
  ];
}

/** Says how content that is not sent again is encrypted: it stays as it is. */
function keyLines({ earlierKeyIds = [], untoldKeyChunks = 0 }: UploadResult): string[] {
  const how = earlierKeyIds.map((key) => (key === null ? 'without a key' : `encrypted with ${printable(key)}`));
  if (untoldKeyChunks > 0) how.push(`as \`archiver info\` says of ${formatQuantity(untoldKeyChunks, 'chunk')}`);
  if (how.length === 0) return [];
  return [`  keys      what was stored before stays as it is, ${how.join(', or ')}; --force sends all of it again`];
}

/** True if something of the version was there before. */
const isDifference = (changes: UploadResult['changes']): boolean =>
  changes !== undefined && changes.modified + changes.deleted + changes.unchanged > 0;

/** How many paths were added and so on. */
export function changesText(changes: ChangeCounts): string {
  const { added, modified, deleted, unchanged, gone, referred } = changes;
  const kept = gone === 0 ? '' : `; ${gone} gone from the folder and kept (sync --track-deletes drops them)`;
  return `${added} added, ${modified} modified, ${deleted} deleted, ${unchanged} unchanged${referredText(referred)}${kept}`;
}

/** Counts how many of the added or modified files refer to content that is stored already. */
function referredText(referred: ChangeCounts['referred']): string {
  if (referred === undefined || referred.files === 0) return '';
  return `; ${referred.files} referred to content that is stored (${formatBytes(referred.bytes)})`;
}

function dryRunLines(result: UploadResult, leftOut: readonly string[], context: Pricing): string[] {
  const { files, bytes, chunks, shards, location, changes } = result;
  const base = location.replace(/\/uploads\/[^/]*$/, '');
  const planned = isDryRun(result) ? plannedFacts(result, context) : [];
  const facts = [...planned, ...dvcLines(result), ...keyLines(result)];
  const last = [...facts, ...leftOut, 'Nothing was written (--dry-run).'];
  if (changes?.noChanges === true) return [`No changes: nothing would be uploaded to ${base}`, ...last];
  const size = `${formatQuantity(files, 'file')}, ${formatBytes(bytes)}`;
  const into = `${formatQuantity(chunks, 'chunk')} over ${shards} shards to ${base}`;
  if (changes === undefined) return [`Would upload ${size} in ${into}`, ...last];
  return [`Would upload what changed in ${size}, in ${into}: ${changesText(changes)}`, ...last];
}
