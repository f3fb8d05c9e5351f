// The shards of an upload, and what a balance does to them, for people.
import type { Context } from '../../cli/context.js';
import type { Analysis, BalancePlan } from '../../core/balance/plan-balance.js';
import type { ShardLoads } from '../../core/balance/shard-loads.js';
import type { StayReason } from '../../core/balance/staying-chunks.js';
import { printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount, formatPercent, formatQuantity } from '../../ui/format.js';
import { printTable } from '../dataset/print-table.js';
import type { Balanced } from './run-balance.js';

const REASONS: Readonly<Record<StayReason, string>> = {
  'other-upload': 'lie in other uploads; balance those',
  referred: 'stay: other uploads refer to them',
  writer: 'stay: the newest version of a writer, which knows its chunks by heart',
  'storage-class': 'stay: moving them out of turn costs money, they are not in STANDARD',
  'too-large': 'stay: larger than 5 GiB',
  doubled: 'stay: they were moved before, and another upload needs both places',
  direct: 'stay: they are files that were uploaded directly',
  'foreign-key': 'stay: their keys are not those that archiver gives to chunks',
};

/** The result as text. */
export async function balanceText({ analysis, plan, executed }: Balanced, context: Context): Promise<string> {
  const table = await shardTable(analysis.loads, plan?.moves.length ? plan.after : undefined, context);
  const lines = [`upload ${printable(analysis.uploadId)} ${verdict(analysis)}`];
  if (plan !== undefined) lines.push(...planLines(plan, executed));
  else if (analysis.imbalanced) lines.push('  --dry-run shows how to even it out, --execute does it');
  return `${table}\n${lines.join('\n')}\n`;
}

function verdict({ imbalanced, threshold, loads }: Analysis): string {
  const { largestBytes, averageBytes, ratio } = loads;
  const numbers = `largest shard ${formatBytes(largestBytes)}, average ${formatBytes(averageBytes)}: ${ratioText(ratio)} times`;
  return `is ${imbalanced ? 'imbalanced' : 'balanced'} (${numbers}, threshold ${threshold})`;
}

const ratioText = (ratio: number): string => ratio.toFixed(2);

function planLines(plan: BalancePlan, executed: boolean): string[] {
  const { moves, after, threshold, imbalanced, staying, superseded } = plan;
  const bytes = formatBytes(moves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const lines: string[] = [];
  if (moves.length > 0) {
    const verb = executed ? 'moved' : 'would move';
    lines.push(
      `  ${verb} ${formatQuantity(moves.length, 'chunk')}, ${bytes}: ${ratioText(after.ratio)} times the average`,
    );
  } else if (imbalanced) lines.push('  nothing to move: no chunk that may move makes the largest shard smaller');
  if (moves.length > 0 && after.ratio > threshold)
    lines.push('  that is as far as it gets: chunks are moved whole, and some have to stay');
  if (imbalanced)
    for (const { reason, chunks, bytes: size } of staying)
      lines.push(`  ${formatQuantity(chunks, 'chunk')} (${formatBytes(size)}) ${REASONS[reason]}`);
  if (superseded.objects > 0) {
    const what = `${formatQuantity(superseded.objects, 'old object')}, ${formatBytes(superseded.bytes)},`;
    lines.push(`  ${what} ${executed ? 'stay' : 'would stay'} until \`archiver dataset prune\` removes them`);
  }
  return executed ? lines : [...lines, 'Nothing was changed (--dry-run).'];
}

async function shardTable(loads: ShardLoads, after: ShardLoads | undefined, context: Context): Promise<string> {
  const rows = loads.shards.map(({ shard, chunks, storedBytes }) => ({
    shard,
    chunks: formatCount(chunks),
    stored: formatBytes(storedBytes),
    share: formatPercent(loads.totalBytes === 0 ? 0 : storedBytes / loads.totalBytes),
    ...(after === undefined ? {} : { after: formatBytes(after.shards[shard]?.storedBytes ?? 0) }),
  }));
  const right = (key: string, title: string) => ({ key, title, align: 'right' as const });
  const columns = [
    right('shard', 'SHARD'),
    right('chunks', 'CHUNKS'),
    right('stored', 'STORED'),
    right('share', 'SHARE'),
  ];
  return await printTable(rows, after === undefined ? columns : [...columns, right('after', 'AFTER')], context);
}
