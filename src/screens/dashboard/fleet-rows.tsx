// Writers in a few words, and the first of them for the overview.
import { type ReactElement, useMemo } from 'react';
import type { Condition, WriterStatus } from '../../core/fleet/watch/judge.js';
import type { FleetRead } from '../../stores/dashboard/store-sources.js';
import type { Column } from '../../ui/columns.js';
import { formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import { useSize } from '../../ui/size.js';
import { BETWEEN, partsThatFit } from '../../ui/status.js';
import { type Glyphs, Tint, type Tone, useTheme } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { cellsOf } from './cells.js';
import type { ReadSource } from './dashboard-context.js';
import { FirstRows, Section } from './panels.js';

const TONES: Readonly<Record<Condition, Tone>> = {
  healthy: 'good',
  starting: 'accent',
  failing: 'bad',
  stale: 'warn',
  missing: 'warn',
  unknown: 'warn',
};

/** True when the writer works but needs attention. */
const isWarned = ({ condition, troubles }: WriterStatus): boolean =>
  troubles.length > 0 && (condition === 'healthy' || condition === 'starting');

/** The sign of a writer's condition. */
const signOf = (writer: WriterStatus, { live, bad, warn }: Glyphs): string =>
  isWarned(writer)
    ? warn
    : { healthy: live, starting: live, failing: bad, stale: warn, missing: warn, unknown: '?' }[writer.condition];

/** The tone of a writer's condition. */
export const toneOf = (writer: WriterStatus): Tone => (isWarned(writer) ? 'warn' : TONES[writer.condition]);

/** The condition in a word; a writer that needs attention is never just healthy. */
const conditionText = (writer: WriterStatus): string => (isWarned(writer) ? 'warning' : writer.condition);

/** The condition, and its reasons. */
export const troublesText = (writer: WriterStatus): string =>
  [conditionText(writer), ...(writer.troubles.length > 0 ? [writer.troubles.join('; ')] : [])].join(': ');

/**
 * All writers, and those in each condition, in the order in which they are left out from the end where there is no room, each whole:
 * `6 writers`, `1 failing`, `1 warning`, `4 healthy`.
 */
export function countTexts(writers: readonly WriterStatus[]): readonly string[] {
  const words = ['missing', 'stale', 'unknown', 'failing', 'warning', 'starting', 'healthy'];
  const counts = words.map((word) => [word, writers.filter((one) => conditionText(one) === word).length] as const);
  return [
    formatQuantity(writers.length, 'writer'),
    ...counts.flatMap(([word, count]) => (count === 0 ? [] : [`${formatCount(count)} ${word}`])),
  ];
}

/** An age as text. */
export const agoText = (ms: number | null): string => (ms === null ? 'never' : `${formatDuration(ms)} ago`);

function sourcesText({ heartbeat }: WriterStatus): string {
  const sources = heartbeat?.sources ?? [];
  if (sources.length === 0) return '-';
  return `${sources.filter(({ isHealthy }) => isHealthy === true).length}/${sources.length} ok`;
}

interface Props {
  readonly fleet: ReadSource<FleetRead>;
  readonly rows: number;
}

/** Number of rows for all writers. */
export const writerRows = (fleet: ReadSource<FleetRead>): number => fleet.value?.status?.writers.length ?? 0;

/** The number of writers, and the first of them; those that need attention come first. */
export function FleetSection({ fleet, rows }: Props): ReactElement {
  const names = useNames();
  const { glyphs, unicode } = useTheme();
  const { columns } = useSize();
  const writers = fleet.value?.status?.writers ?? NONE;
  const cells = useMemo(
    () => writerColumns(writers, names, glyphs).map(({ title: _title, ...column }) => column),
    [writers, names, glyphs],
  );
  const lack = fleet.value === undefined ? 'not read yet' : 'no writer has a place in this store';
  const between = unicode ? BETWEEN : ' - ';
  const counts = partsThatFit([...countTexts(writers)], between, columns - 'FLEET'.length - 4);
  return (
    <Section title="FLEET" note={writers.length === 0 ? lack : counts} problem={fleet.outage}>
      <FirstRows rows={rows} count={writers.length} columns={cells} />
    </Section>
  );
}

const NONE: readonly WriterStatus[] = [];

function cycleText({ isHealthy, heartbeat, condition }: WriterStatus): string {
  if (heartbeat === undefined || condition === 'unknown') return '-';
  if (isHealthy === null) return 'first';
  return isHealthy ? 'ok' : 'failed';
}

/** The version of a writer's configuration. */
export const configText = ({ heartbeat }: WriterStatus): string => {
  const version = heartbeat?.configVersion ?? null;
  return version === null ? '-' : `v${version}`;
};

/** Columns about writers: signs, IDs, and problems in words. */
export function writerColumns(
  writers: readonly WriterStatus[],
  names: (text: string) => string,
  glyphs: Glyphs,
): readonly Column[] {
  const of = cellsOf(writers);
  const right = { align: 'right' } as const;
  return [
    { width: 1, priority: 0, cell: (index) => <WriterSign writer={writers[index]} glyphs={glyphs} /> },
    {
      title: 'WRITER',
      weight: 1,
      min: 16,
      max: 28,
      cut: 'middle',
      priority: 0,
      cell: of(({ writerId }) => names(writerId)),
    },
    { title: 'LAST SEEN', width: 11, ...right, priority: 0, cell: of(({ ageMs }) => agoText(ageMs)) },
    { title: 'CYCLE', width: 7, priority: 1, cell: of(cycleText) },
    { title: 'SOURCES', width: 8, ...right, priority: 2, cell: of(sourcesText) },
    { title: 'CFG', width: 5, ...right, priority: 3, cell: of(configText) },
    {
      weight: 4,
      min: 16,
      priority: 0,
      cell: of((writer) => names(troublesText(writer))),
    },
  ];
}

const WriterSign = ({
  writer,
  glyphs,
}: {
  readonly writer: WriterStatus | undefined;
  readonly glyphs: Glyphs;
}): ReactElement =>
  writer === undefined ? <Tint> </Tint> : <Tint tone={toneOf(writer)}>{signOf(writer, glyphs)}</Tint>;
