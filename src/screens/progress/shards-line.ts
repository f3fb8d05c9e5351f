import type { ShardProgress, TransferSnapshot } from '../../stores/transfer-state.js';
import { level } from '../../ui/text-bar.js';
import { formatRatio } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import type { Line } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';

const LABEL = 'shards  ';

/** One small bar a shard and how even they are; only where there is width to spare. */
export function shardsLine({ shards }: TransferSnapshot, columns: number, look: Look): Line | undefined {
  if (columns < 120 || shards.length < 2) return undefined;
  const glyphs = glyphsFor(look);
  const levels = shards.map(({ plannedBytes, doneBytes }) =>
    level(plannedBytes > 0 ? doneBytes / plannedBytes : 1, glyphs),
  );
  const balance = balanceText(shards);
  const bars = [' ', ''].map((gap) => levels.join(gap));
  const fits = bars.map((text) => `${text}   ${balance}`).find((text) => LABEL.length + text.length <= columns);
  return [{ text: LABEL, tone: 'dim' }, { text: fits ?? levels.join('') }];
}

function balanceText(shards: readonly ShardProgress[]): string {
  const planned = shards.map(({ plannedBytes }) => plannedBytes);
  const total = planned.reduce((sum, bytes) => sum + bytes, 0);
  if (total === 0) return '';
  const largest = planned.reduce((most, bytes) => Math.max(most, bytes), 0);
  return `largest ${formatRatio((largest * planned.length) / total, 2)} the average`;
}
