import { type ReactElement, useMemo } from 'react';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import type { ChangedFile, OpenedListing, VersionChanges } from '../../stores/browse/browse-state.js';
import type { Marks } from '../../stores/browse/marks.js';
import type { Column } from '../../ui/columns.js';
import { Empty } from '../../ui/empty.js';
import { FitText } from '../../ui/fit-text.js';
import { formatBytes } from '../../ui/format.js';
import { Table } from '../../ui/table.js';
import { Tint } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { useBrowse } from './browse-context.js';
import { minuteText } from './file-columns.js';
import { CHANGE_SIGNS } from './file-name.js';
import { octalMode } from '../../core/format/manifest/line-text.js';
import { versionName } from '../../core/dataset/records/version-name.js';

const LEAST_PATH = 24;
const WIDEST_PATH = 100;
const LEAST_REASON = 'content, mtime'.length;
const WIDEST_REASON = 'mode, owner, mtime, xattrs, stage'.length;
const LEAD_WIDTH = 6;

/** The differences to another version; removed files are shown only here. */
export function ChangeList(): ReactElement {
  const opened = useBrowse((state) => state.opened);
  const changes = useBrowse((state) => state.changes);
  const position = useBrowse((state) => state.changePosition);
  const marks = useBrowse((state) => state.changeMarks);
  const markings = useBrowse((state) => state.markings);
  const names = useNames();
  const columns = useMemo(
    () =>
      changes?.since === undefined ? [] : columnsOf({ opened, changes, since: changes.since, marks, markings, names }),
    [opened, changes, marks, markings, names],
  );
  if (changes === undefined || changes.files.length === 0)
    return <Empty sentence="nothing changed" next="left and right compare with other versions, D shows all files." />;
  return <Table count={changes.files.length} cursor={position} columns={columns} />;
}

interface ChangeSource {
  readonly opened: OpenedListing;
  readonly changes: VersionChanges;
  readonly since: OpenedListing;
  readonly marks: Marks;
  /** Incremented when marks change, so that rows are drawn again. */
  readonly markings: number;
  readonly names: (text: string) => string;
}

const columnsOf = (source: ChangeSource): readonly Column[] => [
  {
    title: '      PATH',
    weight: 1,
    min: LEAST_PATH,
    max: WIDEST_PATH,
    priority: 0,
    cell: (at, width) => <ChangedPath source={source} change={source.changes.files[at]} width={width} />,
  },
  {
    title: 'DIFFERS',
    weight: 1,
    min: LEAST_REASON,
    max: WIDEST_REASON,
    priority: 0,
    cell: (at) => source.changes.files[at]?.differs.join(', ') ?? '',
  },
  sideColumn(titleOf(source.since), 1, (at) => textOf(source.changes.files[at], source, 'before')),
  sideColumn(titleOf(source.opened), 0, (at) => textOf(source.changes.files[at], source, 'after')),
];

interface ChangedPathProps {
  readonly source: ChangeSource;
  readonly change: ChangedFile | undefined;
  readonly width: number;
}

function ChangedPath({ source, change, width }: ChangedPathProps): ReactElement {
  const { opened, since, marks, names } = source;
  const { kind, before, after } = change ?? { kind: 'modified', before: undefined, after: 0 };
  const path = after === undefined ? since.listing.path(before ?? 0) : opened.listing.path(after);
  const isMarked = before !== undefined && marks.has(before);
  const { sign, tone } = CHANGE_SIGNS[kind];
  return (
    <Tint>
      <Tint tone={isMarked ? 'accent' : 'plain'}>{before === undefined ? '   ' : isMarked ? '[x]' : '[ ]'}</Tint>{' '}
      <Tint tone={tone}>{sign}</Tint>{' '}
      <FitText text={names(displayPath(path))} width={width - LEAD_WIDTH} cut="middle" />
    </Tint>
  );
}

const titleOf = ({ version, uploadId }: OpenedListing): string =>
  version === undefined ? uploadId.slice(0, 8) : versionName(version);

const sideColumn = (title: string, priority: number, cell: Column['cell']): Column => ({
  title,
  width: 16,
  priority,
  align: 'right',
  cell,
});

/** Text for one side of a change: the size, or where the content is the same what differs first, as far as it can be said in a word. */
function textOf(change: ChangedFile | undefined, { since, opened }: ChangeSource, side: 'before' | 'after'): string {
  if (change === undefined) return '';
  const { differs, before, after } = change;
  if (side === 'before' && before === undefined) return '';
  if (after === undefined && side === 'after') return 'gone';
  const { listing } = side === 'before' ? since : opened;
  const index = (side === 'before' ? before : after) ?? 0;
  const [first] = differs;
  if (first === 'mode') return octalMode(listing.mode(index));
  if (first === 'owner') return `${listing.uid(index)}:${listing.gid(index)}`;
  return first === 'mtime' ? minuteText(listing.mtime(index).seconds) : formatBytes(listing.sizeBytes(index));
}
