// The progress of one operation as rows, only the most important when there is not room for all. It leaves one row free, because Ink clears
// the whole window when a frame fills it.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { fitByPriority } from '../../ui/fit-by-priority.js';
import { useSize } from '../../ui/size.js';
import { useTheme, Tint } from '../../ui/theme.js';
import { BarRow } from './bar-row.js';
import { CountersRow, hasCounters } from './counters-row.js';
import { CostRow, InterruptRow, CurrentItemRow, currentItemText, RetryRow, SkippedRow } from './note-rows.js';
import { plannedCostText, kindOf } from './progress-words.js';
import { SHARD_COLUMNS, ShardsRow } from './shards-row.js';
import { hasChunkSigns, ThawBar, ThawChunks, ThawTitle } from './thaw-rows.js';
import { displayText } from '../../stores/display-text.js';
import { cut, widthOf } from '../../ui/text.js';

interface Row {
  /** Rows with priority 0 stay whatever the height. */
  readonly priority: number;
  readonly row: ReactElement;
}

export function ProgressFrame({ snapshot }: { readonly snapshot: TransferSnapshot }): ReactElement {
  const { columns, rows } = useSize();
  const { unicode } = useTheme();
  const shown = fitByPriority(rowsOf(snapshot, { columns, unicode }), Math.max(1, rows - 1), () => 1);
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
    {
      priority: 6,
      row: currentItemText(snapshot, { unicode }) !== undefined && <CurrentItemRow snapshot={snapshot} />,
    },
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

/** "Uploading SOURCE to TARGET   zstd content-aware, 16 shards"; the settings go first when there is no room. */
function TitleRow({ snapshot }: { readonly snapshot: TransferSnapshot }): ReactElement {
  const { columns } = useSize();
  const look = useTheme();
  const doing = kindOf(snapshot)?.doing ?? '';
  const source = displayText(snapshot.source, look);
  const target = displayText(snapshot.target, look);
  const room = columns - doing.length - 1;
  const names = fitNames({ source, target, room, mark: look.glyphs.ellipsis });
  const settings = settingsText(snapshot);
  return (
    <Tint>
      {`${doing} `}
      <Tint tone="accent">{names}</Tint>
      {settings !== '' && settings.length + 3 <= room - widthOf(names) && <Tint tone="dim">{`   ${settings}`}</Tint>}
    </Tint>
  );
}

interface Names {
  readonly source: string;
  readonly target: string;
  readonly room: number;
  readonly mark: string;
}

function fitNames({ source, target, room, mark }: Names): string {
  if (target === '') return cutPlace(source, room, mark);
  const both = room - ' to '.length;
  // The target is shortened last, down to two thirds of the line: an upload's ends in the ID that people copy.
  const sourceRoom = Math.max(Math.floor(both / 3), both - widthOf(target));
  const shownSource = cutPlace(source, sourceRoom, mark);
  return cut(`${shownSource} to ${cutPlace(target, both - widthOf(shownSource), mark)}`, room, 'end', mark);
}

/** Cuts an address or path so that its last part, often an ID, stays whole if it fits. */
function cutPlace(place: string, room: number, mark: string): string {
  const slash = place.lastIndexOf('/', place.length - 2);
  const last = slash === -1 ? '' : place.slice(slash);
  const front = room - widthOf(last);
  if (widthOf(place) <= room || last === '' || front < 2) return cut(place, room, 'middle', mark);
  return cut(place.slice(0, slash), front, 'end', mark) + last;
}

function settingsText({ compression, shards }: TransferSnapshot): string {
  const parts = [compression ?? '', shards.length > 1 ? `${shards.length} shards` : ''];
  return parts.filter((part) => part !== '').join(', ');
}
