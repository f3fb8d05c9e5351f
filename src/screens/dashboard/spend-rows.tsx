// This month's costs, as rows.
import { type ReactElement, useMemo } from 'react';
import { nearestUsd } from '../../core/cost/money.js';
import type { SpentGroup } from '../../core/money/ledger/report.js';
import { lastDayOf } from '../../stores/dashboard/spending.js';
import type { SourceState } from '../../stores/dashboard/source.js';
import type { SpendRead } from '../../stores/dashboard/sources.js';
import { Bar } from '../../ui/bar.js';
import type { Column } from '../../ui/columns.js';
import { formatPercent, formatQuantity } from '../../ui/format.js';
import { clockMinute } from '../../ui/format-time.js';
import { shortUsd } from '../../ui/format-usd.js';
import { Line } from '../../ui/line.js';
import { BASE_COLUMNS, useSize, WIDE_COLUMNS } from '../../ui/size.js';
import { Sparkline } from '../../ui/sparkline.js';
import { Table } from '../../ui/table.js';
import { Tint } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { Sentence } from './panels.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `11 Nov` for `2025-11-11`. */
const dayText = (day: string): string => `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1] ?? ''}`;

/** An amount as text; the known part when the whole is unknown. */
export const amountOf = ({ costUsd, knownUsd }: Pick<SpentGroup, 'costUsd' | 'knownUsd'>): string =>
  costUsd === null && knownUsd > 0 ? `at least ${shortUsd(knownUsd)}` : shortUsd(costUsd);

type Shown = Pick<SpentGroup, 'name' | 'costUsd' | 'knownUsd'>;

/** The sum of the month so far and, if `room` allows, what it comes to at least: what is stored costs until it is deleted. */
export function monthText(spend: SpendRead, room: number): string {
  const sum = amountOf(spend.month);
  const whole = `${sum}, by ${dayText(spend.monthEnd)} at least ${shortUsd(spend.monthEndUsd)}`;
  return lastDayOf(spend) === spend.monthEnd || whole.length > room ? sum : whole;
}

/** `s3://lab-archive/budgets, 11:33`, which the figures are of, or without its URL `shared ledger, 11:33`. */
export const sharedText = ({ url, readAt }: NonNullable<SpendRead['sharedLedger']>, isNamed = true): string =>
  `${isNamed ? url : 'shared ledger'}, ${clockMinute(readAt, readAt)}`;

/** The sum of the month and, with a second row, its days. */
export function SpendRows({
  spend,
  rows,
}: {
  readonly spend: SpendRead | undefined;
  readonly rows: number;
}): ReactElement {
  const { columns } = useSize();
  const names = useNames();
  if (spend === undefined) return <Sentence>not read yet</Sentence>;
  const { month, days, notes, sharedLedger } = spend;
  if (spend.recordCount === 0)
    return (
      <Sentence>
        {sharedLedger === undefined
          ? 'no cost is recorded here yet; every upload records its own'
          : `no cost is recorded in ${names(sharedText(sharedLedger))} yet`}
      </Sentence>
    );
  const [, first = ''] = /^(\d+)/.exec(dayText(month.period.from ?? month.period.until)) ?? [];
  const records = formatQuantity(month.runs, columns >= WIDE_COLUMNS ? 'cost record' : 'record');
  const isWide = columns >= WIDE_COLUMNS;
  const where = sharedLedger === undefined ? 'the local ledger' : sharedText(sharedLedger, isWide);
  const of = isWide || sharedLedger !== undefined ? `${isWide ? ' in' : ','} ${names(where)}` : '';
  return (
    <>
      <Line
        left={
          <>
            {'  '}
            <Tint tone="strong">{amountOf(month)}</Tint>
            {notes.length > 0 && <Tint tone="warn">{`  ${notes.join('; ')}`}</Tint>}
          </>
        }
        right={<Tint tone="dim">{`${first}-${dayText(lastDayOf(spend))}, ${records}${of}`}</Tint>}
      />
      {rows > 1 && days.length > 0 && <DayRow days={days} columns={columns} />}
    </>
  );
}

function DayRow({ days, columns }: { readonly days: SpendRead['days']; readonly columns: number }): ReactElement {
  const known = days.flatMap(({ day, costUsd }) => (costUsd === null ? [] : [{ day, costUsd }]));
  const highest = known.reduce(
    (best, one) => (one.costUsd > best.costUsd ? one : best),
    known[0] ?? { day: '', costUsd: 0 },
  );
  const mean = known.reduce((sum, { costUsd }) => sum + costUsd, 0) / Math.max(1, known.length);
  const average = columns >= WIDE_COLUMNS ? `, average ${shortUsd(mean)}` : '';
  const day = columns >= BASE_COLUMNS ? ` on ${dayText(highest.day)}` : '';
  const unknown =
    known.length === days.length ? '' : `, ${formatQuantity(days.length - known.length, 'day')} not known`;
  const note =
    known.length === 0 ? 'no day is known' : `highest ${shortUsd(highest.costUsd)}${day}${average}${unknown}`;
  return (
    <Line
      left={
        <>
          <Tint tone="dim">{'  per day  '}</Tint>
          <Sparkline values={days.map(({ costUsd }) => costUsd ?? 0)} width={31} note={note} />
        </>
      }
    />
  );
}

/** Amounts by storage class with their share as bars; the last row sums up all that do not fit. */
export function ClassRows({
  groups,
  rows,
}: {
  readonly groups: readonly SpentGroup[];
  readonly rows: number;
}): ReactElement {
  const names = useNames();
  const columns = useMemo(() => classColumns(groups, rows, names), [groups, rows, names]);
  const shown = Math.min(rows, groups.length);
  return <Table count={shown} cursor={-1} columns={columns} height={shown} indent={2} />;
}

function classColumns(groups: readonly SpentGroup[], rows: number, names: (text: string) => string): readonly Column[] {
  const shown: readonly Shown[] =
    groups.length > rows ? [...groups.slice(0, rows - 1), restOf(groups.slice(rows - 1))] : groups;
  const total = groups.reduce((sum, { knownUsd }) => sum + knownUsd, 0);
  const share = (index: number): number => (total === 0 ? 0 : (shown[index]?.knownUsd ?? 0) / total);
  const amount = ({ costUsd, knownUsd }: Shown): string =>
    costUsd === null ? `>= ${shortUsd(knownUsd)}` : shortUsd(costUsd);
  return [
    { weight: 1, min: 14, max: 30, priority: 0, cell: (index) => names(shown[index]?.name ?? 'without a class') },
    { width: 12, align: 'right', priority: 0, cell: (index) => (shown[index] ? amount(shown[index]) : '') },
    {
      weight: 3,
      min: 8,
      max: 40,
      priority: 1,
      cell: (index, room) => <Bar share={share(index)} width={room} hasTrack />,
    },
    { width: 4, align: 'right', priority: 0, cell: (index) => formatPercent(share(index)) },
  ];
}

function restOf(groups: readonly Shown[]): Shown {
  const knownUsd = groups.reduce((sum, one) => sum + one.knownUsd, 0);
  const isKnown = groups.every(({ costUsd }) => costUsd !== null);
  return { name: `${groups.length} others`, knownUsd, costUsd: isKnown ? knownUsd : null };
}

const amountsOf = ({ costUsd, knownUsd, gbMonths, requestCount }: SpentGroup) => {
  return { costUsd, knownUsd, gbMonths, requestCount };
};

/** The month as data; undefined when it was not read. */
export function spendDocument({ value: spend, readAt }: Pick<SourceState<SpendRead>, 'value' | 'readAt'>) {
  if (spend === undefined || readAt === undefined) return undefined;
  const { month, days, classes, items, sharedLedger } = spend;
  const { period, costUsd, knownUsd, runs } = month;
  return {
    firstDay: period.from ?? null,
    lastDay: lastDayOf(spend),
    timeZone: period.timeZone,
    costUsd,
    knownUsd,
    runs,
    storedPerDayUsd: nearestUsd(spend.storedPerDayUsd),
    monthEndUsd: nearestUsd(spend.monthEndUsd),
    ledger: sharedLedger?.url ?? 'local',
    readAt: readAt.toISOString(),
    dailyCosts: days.map(({ day, costUsd: ofDay }) => ({ day, costUsd: nearestUsd(ofDay) })),
    costByClass: classes.map((group) => ({ storageClass: group.name, ...amountsOf(group) })),
    costByItem: items.map((group) => ({ item: group.name, ...amountsOf(group) })),
  };
}
