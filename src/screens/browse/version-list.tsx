// The versions of one file, and what differs between two of them.
import { type ReactElement, useMemo } from 'react';
import { Box } from 'ink';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import { versionName } from '../../core/dataset/records/version-name.js';
import type { PathChange } from '../../core/dataset/history/path-history.js';
import type { FileComparison, FileVersions } from '../../stores/browse/file-versions.js';
import type { Column } from '../../ui/columns.js';
import { Empty } from '../../ui/empty.js';
import { formatBytes } from '../../ui/format.js';
import { shortMinute } from '../../ui/format-time.js';
import { Room, useSize } from '../../ui/size.js';
import { Spinner } from '../../ui/spinner.js';
import { Table } from '../../ui/table.js';
import { cut } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { useBrowse } from './browse-context.js';
import { minuteText } from './file-columns.js';
import { CHANGE_SIGNS } from './file-name.js';

/** What became of the file under the cursor, newest first, or a comparison of two of its versions. */
export function VersionList(): ReactElement | null {
  const file = useBrowse((state) => state.file);
  const names = useNames();
  const { columns, rows } = useSize();
  const { glyphs } = useTheme();
  if (file === undefined) return null;
  const { found, comparison } = file;
  const about = comparison === undefined ? '' : `  ${comparison.between.join(', then ')}`;
  const problems = found.kind === 'known' && comparison === undefined ? found.problems.slice(0, 3) : [];
  return (
    <Box flexDirection="column">
      <Tint tone="strong">{` ${cut(names(displayPath(file.path)), columns - 2 - about.length, 'middle', glyphs.ellipsis)}${about}`}</Tint>
      <Room columns={columns} rows={Math.max(1, rows - 1 - problems.length)}>
        {comparison === undefined ? <Found file={file} /> : <Compared comparison={comparison} line={file.line} />}
      </Room>
      {problems.map((problem, at) => (
        <Tint key={at} tone="warn">{` ! ${cut(names(problem), columns - 4, 'end', glyphs.ellipsis)}`}</Tint>
      ))}
    </Box>
  );
}

function Found({ file: { found, position } }: { readonly file: FileVersions }): ReactElement {
  const changes = found.kind === 'known' ? found.changes : undefined;
  const columns = useMemo(() => columnsOf(changes ?? []), [changes]);
  const names = useNames();
  if (found.kind === 'reading') return <Spinner label="looking into the versions of the dataset" />;
  if (found.kind === 'failed') return <Empty sentence={names(found.reason)} next="escape goes back to all files." />;
  if (found.changes.length === 0)
    return <Empty sentence="no version that could be searched has it" next="escape goes back to all files." />;
  return <Table count={found.changes.length} cursor={position} columns={columns} />;
}

const namesOf = ({ record, last }: PathChange): string =>
  record === last ? versionName(record) : `${versionName(record)}-${versionName(last)}`;

function columnsOf(changes: readonly PathChange[]): readonly Column[] {
  const text = (of: (change: PathChange) => string) => (at: number) => {
    const change = changes[at];
    return change === undefined ? '' : of(change);
  };
  return [
    {
      title: 'VERSIONS',
      width: Math.max('VERSIONS'.length, ...changes.map((change) => namesOf(change).length)),
      priority: 0,
      cell: text(namesOf),
    },
    {
      title: 'CHANGE',
      width: 10,
      priority: 0,
      cell(at) {
        const { sign, tone } = CHANGE_SIGNS[changes[at]?.change ?? 'modified'];
        return (
          <Tint tone={tone}>
            {sign} {changes[at]?.change}
          </Tint>
        );
      },
    },
    { title: 'SINCE', width: 16, priority: 2, cell: text(({ record }) => shortMinute(new Date(record.createdAt))) },
    {
      title: 'SIZE',
      width: 8,
      priority: 0,
      align: 'right',
      cell: text(({ entry }) => (entry === undefined ? '' : formatBytes(entry.size))),
    },
    {
      title: 'MODIFIED',
      width: 16,
      priority: 1,
      cell: text(({ entry }) => (entry === undefined ? '' : minuteText(entry.mtime.seconds))),
    },
  ];
}

const TONES = { ' ': 'plain', '+': 'good', '-': 'bad' } as const;

type Names = (text: string) => string;

function ComparedRow({
  comparison,
  at,
  names,
}: {
  comparison: FileComparison;
  at: number;
  names: Names;
}): ReactElement {
  const { facts, content } = comparison;
  const line = content.kind === 'lines' ? content.lines[at - facts.length] : undefined;
  if (line === undefined || at < facts.length)
    return <Tint tone="accent">{names(facts[at] ?? (content.kind === 'none' ? content.reason : ''))}</Tint>;
  return <Tint tone={TONES[line.sign]}>{`${line.sign} ${names(line.text.replaceAll('\t', '    '))}`}</Tint>;
}

const comparedColumns = (comparison: FileComparison, names: Names): readonly Column[] => [
  {
    weight: 1,
    min: 20,
    max: 1000,
    priority: 0,
    cell: (at) => <ComparedRow comparison={comparison} at={at} names={names} />,
  },
];

function Compared({ comparison, line }: { readonly comparison: FileComparison; readonly line: number }): ReactElement {
  const names = useNames();
  const columns = useMemo(() => comparedColumns(comparison, names), [comparison, names]);
  const { facts, content } = comparison;
  const count = facts.length + (content.kind === 'lines' ? content.lines.length : 1);
  return <Table count={count} cursor={line} columns={columns} indent={1} />;
}
