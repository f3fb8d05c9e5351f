// Writers in a few words, and the first of them for the overview.
import { type ReactElement, useMemo } from 'react';
import type { Condition, WriterStatus } from '../../core/fleet/watch/judge.js';
import type { FleetRead } from '../../stores/dashboard/store-sources.js';
import type { Column } from '../../ui/columns.js';
import { formatDuration } from '../../ui/format.js';
import { type Glyphs, Tint, type Tone, useTheme } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { FirstRows, Sentence } from './panels.js';

const TONES: Readonly<Record<Condition, Tone>> = {
  healthy: 'good',
  starting: 'accent',
  failing: 'bad',
  stale: 'warn',
  missing: 'warn',
  unknown: 'warn',
};

/** Somebody has to look at it, though it works. */
const isWarned = ({ condition, troubles }: WriterStatus): boolean =>
  troubles.length > 0 && (condition === 'healthy' || condition === 'starting');

/** The sign of how it is. */
export const signOf = (writer: WriterStatus, { live, bad, warn }: Glyphs): string =>
  isWarned(writer)
    ? warn
    : { healthy: live, starting: live, failing: bad, stale: warn, missing: warn, unknown: '?' }[writer.condition];

/** And its tone. */
export const toneOf = (writer: WriterStatus): Tone => (isWarned(writer) ? 'warn' : TONES[writer.condition]);

/** Of an age. */
export const agoText = (ms: number | null): string => (ms === null ? 'never' : `${formatDuration(ms)} ago`);

/** How many of its sources are well. */
export function sourcesText({ heartbeat }: WriterStatus): string {
  const sources = heartbeat?.sources ?? [];
  if (sources.length === 0) return '-';
  return `${sources.filter(({ isHealthy }) => isHealthy === true).length}/${sources.length} ok`;
}

interface Props {
  readonly fleet: FleetRead | undefined;
  readonly rows: number;
}

/** The first writers: those somebody has to look at come first. */
export function FleetRows({ fleet, rows }: Props): ReactElement {
  const names = useNames();
  const { glyphs } = useTheme();
  const writers = fleet?.status?.writers;
  const columns = useMemo((): readonly Column[] => {
    const of = (text: (writer: WriterStatus) => string) => (index: number) => {
      const writer = writers?.[index];
      return writer === undefined ? '' : text(writer);
    };
    return [
      {
        width: 1,
        cell: (index) => {
          const writer = writers?.[index];
          return writer === undefined ? ' ' : <Tint tone={toneOf(writer)}>{signOf(writer, glyphs)}</Tint>;
        },
      },
      { weight: 1, min: 16, max: 28, cut: 'middle', cell: of(({ writerId }) => names(writerId)) },
      { width: 11, align: 'right', cell: of(({ ageMs }) => agoText(ageMs)) },
      { width: 8, align: 'right', cell: of(sourcesText) },
      {
        weight: 3,
        min: 20,
        cell: of(({ condition, troubles }) => names([condition, ...troubles.slice(0, 1)].join(': '))),
      },
    ];
  }, [writers, names, glyphs]);
  if (fleet === undefined) return <Sentence>not read yet</Sentence>;
  if (writers === undefined) return <Sentence>no writer has a place in this store</Sentence>;
  return <FirstRows rows={rows} count={writers.length} columns={columns} />;
}
