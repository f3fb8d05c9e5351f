// A prune in words: before it is agreed to, and when it is done.
import type { EarlyDeletion } from '../../core/cost/early-deletion.js';
import type { PrunePlan } from '../../core/dataset/prune/plan-prune.js';
import type { PruneOutcome } from '../../core/dataset/prune/prune.js';
import { ordinalsText } from '../../core/dataset/version-selector.js';
import type { ReadRecord } from '../../core/dataset/versions.js';
import { printable } from '../../core/raw-path.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';

const SHOWN = 10;

const ordinals = (versions: readonly ReadRecord[]): string => ordinalsText(versions.map(({ record }) => record));

const sizeOf = (objects: readonly { readonly sizeBytes: number }[]): number =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** What will happen, a line each. */
export function planText(plan: PrunePlan, fees: EarlyDeletion): string {
  const { datasetId, kept, removed, compacted, abandoned } = plan;
  const objects = [...plan.records, ...plan.manifests, ...plan.chunks, ...plan.leftovers];
  const lines = [
    `dataset ${printable(datasetId)}`,
    `  keep      ${formatQuantity(kept.length, 'version')}: ${ordinals(kept)}`,
    `  remove    ${removed.length === 0 ? 'no version' : `${formatQuantity(removed.length, 'version')}: ${ordinals(removed)}`}`,
    `  delete    ${formatQuantity(objects.length, 'object')}, ${formatBytes(sizeOf(objects))}`,
  ];
  if (compacted.length > 0) lines.push(`  rewrite   the manifest of ${ordinals(compacted)}, to stand by itself`);
  if (abandoned.length > 0) lines.push(`  abandoned ${abandonedText(plan)}`);
  return [...lines, ...feeLines(fees)].join('\n');
}

function abandonedText({ abandoned }: PrunePlan): string {
  const named = abandoned.slice(0, SHOWN).map(({ uploadId }) => uploadId);
  const more = abandoned.length > SHOWN ? ` and ${abandoned.length - SHOWN} more` : '';
  return `${formatQuantity(abandoned.length, 'upload')} that never became a version: ${named.join(', ')}${more}`;
}

/** Early deletion, by class; what has no price is said to have none. */
function feeLines({ byClass, costUsd, region, pricesOf }: EarlyDeletion): string[] {
  if (byClass.length === 0) return [];
  const lines = byClass.map(({ storageClass, minimumDays, objects, bytes, costUsd: cost }) => {
    const what = `${formatQuantity(objects, 'object')}, ${formatBytes(bytes)} in ${printable(storageClass)}`;
    if (minimumDays === null) return `  fee       unknown: ${what}, a class that is not known`;
    return `  fee       ${usd(cost)}: ${what} before ${minimumDays} days are over`;
  });
  const source = `at AWS list prices of ${pricesOf}${region === null ? '' : ` for ${printable(region)}`}`;
  return [...lines, `  early     deletion costs ${usd(costUsd)} in all, ${source}`];
}

const usd = (amount: number | null): string => (amount === null ? 'an unknown amount' : formatUsd(amount));

/** The result. `outcome` is missing when nothing was done. */
export function outcomeText(
  plan: PrunePlan,
  fees: EarlyDeletion,
  outcome: PruneOutcome | undefined,
  isDryRun: boolean,
): string {
  if (isDryRun) return `${planText(plan, fees)}\nNothing was changed (--dry-run).\n`;
  if (outcome === undefined)
    return `nothing to prune: dataset ${printable(plan.datasetId)} keeps ${ordinals(plan.kept)}\n`;
  const { deletedObjects, freedBytes, failed } = outcome;
  const removed = formatQuantity(plan.removed.length, 'version');
  const kept = formatQuantity(plan.kept.length, 'version');
  const lines = [
    `removed ${removed} of dataset ${printable(plan.datasetId)}, kept ${kept}: ${ordinals(plan.kept)}`,
    `  deleted   ${formatQuantity(deletedObjects, 'object')}, ${formatBytes(freedBytes)}`,
  ];
  if (plan.compacted.length > 0) lines.push(`  rewrote   the manifest of ${ordinals(plan.compacted)}`);
  for (const { key, reason } of failed.slice(0, SHOWN))
    lines.push(`  failed    ${printable(key)}: ${printable(reason)}`);
  if (failed.length > SHOWN) lines.push(`            and ${failed.length - SHOWN} more`);
  return `${lines.join('\n')}\n`;
}
