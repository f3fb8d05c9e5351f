// The progress of one operation as rows, only the most important when there is not room for all. It leaves one row free, because Ink clears
// the whole window when a frame fills it.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { keepThatFit } from '../../ui/keep-that-fit.js';
import { useSize } from '../../ui/size.js';
import { useTheme } from '../../ui/theme.js';
import { BarRow } from './bar-row.js';
import { CountersRow, hasCounters } from './counters-row.js';
import { CostRow, InterruptRow, NowRow, nowText, RetryRow, SkippedRow } from './note-rows.js';
import { plannedCostText } from './progress-words.js';
import { SHARD_COLUMNS, ShardsRow } from './shards-row.js';
import { hasChunkSigns, ThawBar, ThawChunks, ThawTitle } from './thaw-rows.js';
import { TitleRow } from './title-row.js';

interface Row {
  /** Rows with priority 0 stay whatever the height. */
  readonly priority: number;
  readonly row: ReactElement;
}

export function ProgressFrame({ snapshot }: { readonly snapshot: TransferSnapshot }): ReactElement {
  const { columns, rows } = useSize();
  const { unicode } = useTheme();
  const shown = keepThatFit(rowsOf(snapshot, { columns, unicode }), Math.max(1, rows - 1), () => 1);
  return (
    <Box flexDirection="column" flexShrink={0}>
      {shown.map(({ priority, row }) => (
        <Box key={priority} height={1} width={columns} flexShrink={0} overflow="hidden">
          {row}
        </Box>
      ))}
    </Box>
  );
}

interface Room {
  readonly columns: number;
  readonly unicode: boolean;
}

function rowsOf(snapshot: TransferSnapshot, room: Room): Row[] {
  const { operation, thaw, skippedCount, retrying, isStopping } = snapshot;
  const body = thaw === undefined ? bodyOf(snapshot, room) : thawBody(snapshot, room);
  return present([
    ...body,
    { priority: 2, row: retrying !== undefined && <RetryRow retrying={retrying} /> },
    { priority: 5, row: skippedCount > 0 && <SkippedRow snapshot={snapshot} /> },
    { priority: isStopping ? 1 : 7, row: operation !== undefined && <InterruptRow snapshot={snapshot} /> },
  ]);
}

interface Choice {
  readonly priority: number;
  /** False when there is nothing to show. */
  readonly row: ReactElement | false;
}

const present = (choices: readonly Choice[]): Row[] =>
  choices.flatMap(({ priority, row }) => (row === false ? [] : [{ priority, row }]));

function bodyOf(snapshot: TransferSnapshot, { columns, unicode }: Room): Choice[] {
  const hasShards = columns >= SHARD_COLUMNS && snapshot.shards.length > 1;
  return [
    { priority: 4, row: snapshot.operation !== undefined && <TitleRow snapshot={snapshot} /> },
    { priority: 0, row: <BarRow snapshot={snapshot} /> },
    { priority: 3, row: hasCounters(snapshot) && <CountersRow snapshot={snapshot} /> },
    { priority: 8, row: hasShards && <ShardsRow shards={snapshot.shards} /> },
    { priority: 9, row: plannedCostText(snapshot) !== undefined && <CostRow snapshot={snapshot} /> },
    { priority: 6, row: nowText(snapshot, { unicode }) !== undefined && <NowRow snapshot={snapshot} /> },
  ];
}

function thawBody({ thaw }: TransferSnapshot, { columns }: Room): Choice[] {
  if (thaw === undefined) return [];
  return [
    { priority: 4, row: <ThawTitle thaw={thaw} /> },
    { priority: 0, row: <ThawBar thaw={thaw} /> },
    { priority: 6, row: hasChunkSigns(thaw, columns) && <ThawChunks thaw={thaw} /> },
  ];
}
