// Details of the item under the cursor. Anything that has to be read is requested once the cursor rests, and cancelled when it moves on.
import { Box } from 'ink';
import { type ReactElement, useEffect, useMemo } from 'react';
import { displayPath, TOP } from '../../core/platform/paths/raw-path.js';
import { type BrowseState, changeAtCursor, type OpenedListing } from '../../stores/browse/browse-state.js';
import { rowAt } from '../../stores/browse/rows.js';
import { type FolderRow, largestBelow, type SizedChild } from '../../stores/browse/tree.js';
import { Facts } from '../../ui/facts.js';
import { useSize, Room } from '../../ui/size.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { wrapped } from '../../ui/wrapped.js';
import { useNames } from '../use-names.js';
import { useActions, useBrowse } from './browse-context.js';
import { fileFacts, folderFacts } from './detail-facts.js';
import type { Preview } from '../../core/restore/listing/first-lines.js';
import { cut } from '../../ui/text.js';
import { Bar } from '../../ui/bar.js';
import type { Column } from '../../ui/columns.js';
import { formatBytes } from '../../ui/format.js';
import { Table } from '../../ui/table.js';

const REST_MS = 200;

/** The details of the row under the cursor, or of the change. */
export function Details(): ReactElement | null {
  const page = useBrowse((state) => state.page);
  const opened = useBrowse((state) => state.opened);
  const row = useBrowse(rowAtCursor);
  const since = useBrowse((state) => state.changes?.since);
  const change = useBrowse(changeAtCursor);
  if (page === 'changes') {
    if (change === undefined) return null;
    if (change.after !== undefined) return <FileDetails opened={opened} index={change.after} />;
    return since === undefined ? null : <FileDetails opened={since} index={change.before ?? 0} />;
  }
  if (typeof row === 'number') return <FileDetails opened={opened} index={row} />;
  return row === undefined ? null : <FolderDetails folder={row} />;
}

const rowAtCursor = (state: BrowseState): number | FolderRow | undefined => rowAt(state, state.position);

function FileDetails({ opened, index }: { readonly opened: OpenedListing; readonly index: number }): ReactElement {
  const { columns, rows } = useSize();
  const { readAbout } = useActions();
  const names = useNames();
  const about = useBrowse((state) =>
    state.about?.opened === opened && state.about.index === index ? state.about : undefined,
  );
  useEffect(() => {
    const timer = setTimeout(() => readAbout({ opened, index }), REST_MS);
    return () => {
      clearTimeout(timer);
      readAbout(undefined);
    };
  }, [opened, index, readAbout]);
  const path = wrapped(names(displayPath(opened.listing.path(index))), columns - 2);
  const facts = useMemo(
    () => fileFacts(opened, index, { history: about?.history, names }),
    [opened, index, about, names],
  );
  const room = rows - path.length - facts.length - 2;
  return (
    <Box flexDirection="column">
      <Path lines={path} />
      <Gap />
      <Facts facts={facts} />
      {room > 2 && <FirstLines preview={about?.preview} rows={room} />}
    </Box>
  );
}

function FolderDetails({ folder }: { readonly folder: FolderRow }): ReactElement {
  const { columns, rows } = useSize();
  const opened = useBrowse((state) => state.opened);
  const source = useBrowse((state) => state.facts);
  const names = useNames();
  const path = wrapped(names(`${displayPath(folder.path)}/`), columns - 2);
  const share = useBrowse((state) => state.share);
  const facts = useMemo(() => folderFacts(opened, folder, { facts: source, share }), [opened, folder, source, share]);
  const room = rows - path.length - facts.length - 2;
  return (
    <Box flexDirection="column">
      <Path lines={path} />
      <Gap />
      <Facts facts={facts} />
      {room > 2 && opened.listing.isRead(folder.path) && <LargestBelow folder={folder} rows={room} />}
    </Box>
  );
}

const Gap = (): ReactElement => <Tint> </Tint>;

/** A path is never cut here: it takes as many rows as it needs. */
const Path = ({ lines }: { readonly lines: readonly string[] }): ReactElement => (
  <Box flexDirection="column" paddingLeft={1} flexShrink={0}>
    {lines.map((line, at) => (
      <Tint key={at} tone="strong">
        {line}
      </Tint>
    ))}
  </Box>
);

interface FirstLinesProps {
  /** Undefined until it was read. */
  readonly preview: Preview | undefined;
  readonly rows: number;
}

/** The first lines of a file, or the reason why they are not shown. */
function FirstLines({ preview, rows }: FirstLinesProps): ReactElement {
  const { columns } = useSize();
  const { glyphs } = useTheme();
  const names = useNames();
  const lines = preview?.kind === 'text' ? preview.lines.slice(0, rows - 2) : [];
  const isWhole = preview?.kind === 'text' && !preview.isCut && lines.length === preview.lines.length;
  return (
    <Box flexDirection="column" paddingLeft={1} paddingTop={1}>
      <Tint tone="dim">{isWhole ? 'all lines' : 'first lines'}</Tint>
      {(preview?.kind === 'none' ? wrapped(names(preview.reason), columns - 4) : []).map((line, at) => (
        <Tint key={at} tone="warn">{`  ${line}`}</Tint>
      ))}
      {lines.map((line, at) => (
        <Tint key={at}>{`  ${cut(names(line.replaceAll('\t', '    ')), columns - 4, 'end', glyphs.ellipsis)}`}</Tint>
      ))}
    </Box>
  );
}

const MOST = 12;

/** The largest items in a folder. */
function LargestBelow({ folder, rows }: { readonly folder: FolderRow; readonly rows: number }): ReactElement {
  const { columns: width } = useSize();
  const listing = useBrowse((state) => state.opened.listing);
  const visible = useBrowse((state) => state.visible);
  const names = useNames();
  const length = Math.min(MOST, rows - 2);
  const largest = useMemo(() => largestBelow({ listing, visible }, folder, length), [listing, visible, folder, length]);
  const columns = useMemo(
    () => columnsOf(largest, Math.max(1, listing.sum(folder.below).bytes), names),
    [listing, folder, largest, names],
  );
  return (
    <Box flexDirection="column" paddingTop={1}>
      <Tint tone="dim">{' largest'}</Tint>
      <Room columns={width} rows={largest.length}>
        <Table count={largest.length} cursor={-1} columns={columns} />
      </Room>
    </Box>
  );
}

const columnsOf = (
  largest: readonly SizedChild[],
  bytes: number,
  names: (text: string) => string,
): readonly Column[] => [
  {
    weight: 1,
    min: 12,
    max: 40,
    priority: 0,
    cut: 'middle',
    cell: (at) => names(displayPath(largest[at]?.name ?? TOP)),
  },
  { width: 8, priority: 0, align: 'right', cell: (at) => formatBytes(largest[at]?.bytes ?? 0) },
  { width: 10, priority: 1, cell: (at, room) => <Bar share={(largest[at]?.bytes ?? 0) / bytes} width={room} /> },
];
