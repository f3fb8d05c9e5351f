import type { ReactElement } from 'react';
import type { ShardProgress } from '../../stores/transfer-snapshot.js';
import { formatRatio } from '../../ui/format.js';
import { useSize } from '../../ui/size.js';
import { Tint, useTheme } from '../../ui/theme.js';

const LABEL = 'shards  ';

/** Shards are only shown when there are at least this many columns. */
export const SHARD_COLUMNS = 120;

/** One small bar per shard, and how balanced they are. */
export function ShardsRow({ shards }: { readonly shards: readonly ShardProgress[] }): ReactElement {
  const { columns } = useSize();
  const { levels } = useTheme().glyphs;
  const signs = shards.map(({ plannedBytes, doneBytes }) =>
    level(plannedBytes > 0 ? doneBytes / plannedBytes : 1, levels),
  );
  const bars = [signs.join(' '), signs.join('')];
  const texts = [...bars.map((text) => `${text}   ${balanceText(shards)}`), signs.join('')];
  const fits = texts.find((text) => LABEL.length + text.length <= columns) ?? '';
  return (
    <Tint>
      <Tint tone="dim">{LABEL}</Tint>
      {fits}
    </Tint>
  );
}

/** A character for the part that is done; the highest means all of it. */
export function level(fraction: number, levels: readonly string[]): string {
  const share = Math.min(1, Math.max(0, fraction));
  return levels[Math.floor(share * (levels.length - 1))] ?? '';
}

function balanceText(shards: readonly ShardProgress[]): string {
  const planned = shards.map(({ plannedBytes }) => plannedBytes);
  const total = planned.reduce((sum, bytes) => sum + bytes, 0);
  if (total === 0) return '';
  const largest = planned.reduce((most, bytes) => Math.max(most, bytes), 0);
  return `largest ${formatRatio((largest * planned.length) / total, 2)} the average`;
}
