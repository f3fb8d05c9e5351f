// The view of a folder, wired to its store.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import { useStore } from 'zustand';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import { type FolderPorts, markedSums } from '../../stores/money/folder-state.js';
import type { FolderStore } from '../../stores/money/folder-store.js';
import { Empty } from '../../ui/empty.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { shortUsd } from '../../ui/format-usd.js';
import { HelpOverlay } from '../../ui/help-overlay.js';
import { Line } from '../../ui/line.js';
import { Paragraph } from '../../ui/paragraph.js';
import { bodyRows, Screen } from '../../ui/screen.js';
import { useSize } from '../../ui/size.js';
import { BETWEEN, Status } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { Tint } from '../../ui/theme.js';
import { useKeys } from '../../ui/use-keys.js';
import { useNames } from '../use-names.js';
import { folderColumns } from './folder-columns.js';
import { folderKeys, listKeys } from './folder-keys.js';

export interface FolderScreenProps {
  readonly store: FolderStore;
  readonly ports: FolderPorts;
  /** The folder as it was typed. */
  readonly where: string;
  /** What is old: `1y by mtime`. */
  readonly rule: string;
  /** Paths that could not be looked at. */
  readonly unseen: number;
}

export function FolderScreen(props: FolderScreenProps): ReactElement {
  const { store, where, rule } = props;
  const state = useStore(store);
  const names = useNames();
  const page = Math.max(1, bodyRows(useSize().rows) - 1);
  useKeys(() => {
    store.getState().do.notify(undefined);
    return folderKeys(store.getState(), page);
  });
  const path = displayPath(state.tree.path(state.folder));
  return (
    <Screen
      title="archiver analyze"
      where={names(path === '' ? where : `${where.replace(/\/$/, '')}/${path}`)}
      context={`old: ${rule}`}
      bar={<FolderBar {...props} />}
      status={<MarkedStatus {...props} />}
      bindings={folderKeys(state, page)}
    >
      <Body {...props} />
    </Screen>
  );
}

function Body(props: FolderScreenProps): ReactElement {
  const { store } = props;
  const { mode, rows, marks, position, tree, folder, do: act } = useStore(store);
  const names = useNames();
  const { rows: height } = useSize();
  const total = tree.sums(folder).bytes;
  const columns = useMemo(() => folderColumns({ rows, marks, total, names }), [rows, marks, total, names]);
  if (mode === 'help') return <HelpOverlay title="Keys in analyze" bindings={listKeys(act, height)} />;
  if (mode === 'line') return <UploadPanel {...props} />;
  if (rows.length === 0) return <Empty sentence="nothing is in this folder" next="left goes to the folder above." />;
  return <Table count={rows.length} cursor={position} columns={columns} />;
}

function FolderBar({ store, unseen }: FolderScreenProps): ReactElement {
  const { tree, folder, sort } = useStore(store);
  const { files, bytes, allocatedBytes, oldBytes } = tree.sums(folder);
  return (
    <Line
      left={`${formatQuantity(files, 'file')}, ${formatBytes(bytes)} (${formatBytes(allocatedBytes)} on disk), ${formatBytes(oldBytes)} old`}
      right={
        <>
          {unseen > 0 && <Tint tone="warn">{`${formatCount(unseen)} not seen  `}</Tint>}
          <Tint tone="dim">{`sort: ${sort}`}</Tint>
        </>
      }
    />
  );
}

function MarkedStatus({ store, ports }: FolderScreenProps): ReactElement {
  const { marks, notice, rows, position } = useStore(store);
  const names = useNames();
  const at = `${formatCount(rows.length === 0 ? 0 : position + 1)} of ${formatCount(rows.length)}`;
  if (notice !== undefined) return <Status message={{ text: names(notice), tone: 'warn' }} right={at} />;
  if (marks.size === 0) return <Status message={{ text: 'nothing marked' }} right={at} />;
  const { bytes } = markedSums(marks);
  // The cheapest first: what there is no room for is dropped from the end.
  const costs = ports
    .classes(bytes)
    .toSorted((a, b) => (a.monthlyUsd ?? Infinity) - (b.monthlyUsd ?? Infinity))
    .map(({ storageClass, monthlyUsd }) => `${storageClass} ${shortUsd(monthlyUsd)}/month`);
  const text = [`${formatCount(marks.size)} marked, ${formatBytes(bytes)}`, ...costs].join(BETWEEN);
  return <Status message={{ text }} right={at} />;
}

function UploadPanel({ store, ports }: FolderScreenProps): ReactElement {
  const { marks } = useStore(store);
  const names = useNames();
  if (marks.size === 0)
    return <Empty sentence="nothing is marked" next="space marks; then u shows the line that uploads it." />;
  const { bytes } = markedSums(marks);
  const line = ports.line([...marks.keys()], bytes);
  return (
    <Box flexDirection="column" rowGap={1}>
      <Paragraph tone="dim">q leaves and prints this line, so that it can be copied:</Paragraph>
      <Paragraph>{names(line ?? 'the name of the folder cannot be written in a line')}</Paragraph>
      <Box flexDirection="column">
        {ports.classes(bytes).map(({ storageClass, monthlyUsd, uploadUsd, minimumDays }) => (
          <Tint key={storageClass}>
            {` ${storageClass.padEnd(20)} ${shortUsd(monthlyUsd).padStart(10)} a month, upload ${shortUsd(uploadUsd)}${minimumDays ? `, ${minimumDays} days at least` : ''}`}
          </Tint>
        ))}
      </Box>
    </Box>
  );
}
