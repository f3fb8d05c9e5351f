// A prune in words: before it is agreed to, and when it is done.
import type { EarlyDeletion } from '../../core/cost/early-deletion.js';
import type { PrunePlan } from '../../core/dataset/prune/plan-prune.js';
import type { PruneOutcome } from '../../core/dataset/prune/prune.js';
import { ordinalsText } from '../../core/dataset/version-selector.js';
import type { ReadRecord } from '../../core/dataset/versions.js';
import { printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';

const SHOWN = 10;
const MINUTE = 'YYYY-MM-DDTHH:MM'.length;

const ordinals = (versions: readonly ReadRecord[]): string => ordinalsText(versions.map(({ record }) => record));

const amountText = (objects: number, bytes: number): string =>
  `${formatQuantity(objects, 'object')}, ${formatBytes(bytes)}`;

const sizeOf = (objects: readonly { readonly sizeBytes: number }[]): number =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** When what is marked now can be deleted: a moment for a person. */
const momentText = (moment: Date): string => `${moment.toISOString().slice(0, MINUTE).replace('T', ' ')} UTC`;

/** What will happen, a line each. `freedFrom`: when what is marked can be deleted; undefined: at once. */
export function planText(plan: PrunePlan, fees: EarlyDeletion, freedFrom: Date | undefined): string {
  const { datasetId, kept, retired, compacted, sweep } = plan;
  const lines = [
    `dataset ${printable(datasetId)}`,
    `  keep      ${formatQuantity(kept.length, 'version')}: ${ordinals(kept)}`,
    `  retire    ${retired.length === 0 ? 'no version' : `${formatQuantity(retired.length, 'version')}: ${ordinals(retired)}`}`,
  ];
  if (compacted.length > 0) lines.push(`  rewrite   the manifest of ${ordinals(compacted)}, to stand by itself`);
  lines.push(...abandonedLines(plan));
  if (plan.marked.length > 0)
    lines.push(`  ${freedFrom === undefined ? 'delete  ' : 'mark    '}  ${markedText(plan, freedFrom)}`);
  if (sweep.due.length > 0)
    lines.push(`  delete    ${amountText(sweep.objects.length, sizeOf(sweep.objects))}, marked before`);
  lines.push(...waitingLines(plan));
  return [...lines, ...feeLines(fees)].join('\n');
}

function markedText({ marked }: PrunePlan, freedFrom: Date | undefined): string {
  const objects = marked.flatMap((upload) => upload.objects);
  const amount = amountText(objects.length, sizeOf(objects));
  return freedFrom === undefined ? amount : `${amount}: deleted by a prune after ${momentText(freedFrom)}`;
}

function waitingLines({ sweep: { waiting } }: PrunePlan): string[] {
  if (waiting.objects === 0 || waiting.until === undefined) return [];
  return [
    `  waiting   ${amountText(waiting.objects, waiting.bytes)}, marked before: deleted by a prune after ${momentText(waiting.until)}`,
  ];
}

function abandonedLines({ marked }: PrunePlan): string[] {
  const abandoned = marked.filter(({ reason }) => reason === 'abandoned');
  if (abandoned.length === 0) return [];
  const named = abandoned.slice(0, SHOWN).map(({ uploadId }) => uploadId);
  const more = abandoned.length > SHOWN ? ` and ${abandoned.length - SHOWN} more` : '';
  return [
    `  abandoned ${formatQuantity(abandoned.length, 'upload')} that never became a version: ${named.join(', ')}${more}`,
  ];
}

/** Early deletion, by class; what has no price is said to have none. */
function feeLines({ byClass, costUsd, region, pricesOf }: EarlyDeletion): string[] {
  if (byClass.length === 0) return [];
  const lines = byClass.map(({ storageClass, minimumDays, objects, bytes, costUsd: cost }) => {
    const what = `${amountText(objects, bytes)} in ${printable(storageClass)}`;
    if (minimumDays === null) return `  fee       unknown: ${what}, a class that is not known`;
    return `  fee       ${usd(cost)}: ${what} before ${minimumDays} days are over`;
  });
  const source = `at AWS list prices of ${pricesOf}${region === null ? '' : ` for ${printable(region)}`}`;
  return [...lines, `  early     deletion costs ${usd(costUsd)} in all, ${source}`];
}

const usd = (amount: number | null): string => (amount === null ? 'an unknown amount' : formatUsd(amount));

export interface PruneReport {
  readonly plan: PrunePlan;
  readonly fees: EarlyDeletion;
  /** Missing when nothing was done. */
  readonly outcome: PruneOutcome | undefined;
  /** When what is marked can be deleted; undefined: at once. */
  readonly freedFrom: Date | undefined;
}

/** What was done. */
export function outcomeText({ plan, fees, outcome, freedFrom }: PruneReport, isDryRun: boolean): string {
  if (isDryRun) return `${planText(plan, fees, freedFrom)}\nNothing was changed (--dry-run).\n`;
  const waiting = waitingLines(plan);
  if (outcome === undefined) {
    const head = `nothing to prune: dataset ${printable(plan.datasetId)} keeps ${ordinals(plan.kept)}`;
    return `${[head, ...waiting].join('\n')}\n`;
  }
  const { deletedObjects, freedBytes, failed } = outcome;
  const retired = formatQuantity(plan.retired.length, 'version');
  const kept = formatQuantity(plan.kept.length, 'version');
  const lines = [`retired ${retired} of dataset ${printable(plan.datasetId)}, kept ${kept}: ${ordinals(plan.kept)}`];
  if (plan.compacted.length > 0) lines.push(`  rewrote   the manifest of ${ordinals(plan.compacted)}`);
  if (plan.marked.length > 0 && freedFrom !== undefined) lines.push(`  marked    ${markedText(plan, freedFrom)}`);
  lines.push(`  deleted   ${amountText(deletedObjects, freedBytes)}`, ...waiting);
  for (const { key, reason } of failed.slice(0, SHOWN))
    lines.push(`  failed    ${printable(key)}: ${printable(reason)}`);
  if (failed.length > SHOWN) lines.push(`            and ${failed.length - SHOWN} more`);
  return `${lines.join('\n')}\n`;
}
