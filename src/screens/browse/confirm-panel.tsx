import { type ReactElement, useMemo } from 'react';
import type { RetrievalItem } from '../../core/cost/retrieval-cost.js';
import { type BrowseState, chosenIn } from '../../stores/browse/browse-state.js';
import { type TierRow, tierRows } from '../../stores/browse/cost.js';
import { type Column, GAP } from '../../ui/columns.js';
import { Confirm } from '../../ui/confirm.js';
import { type Fact, Facts, wrapFacts } from '../../ui/facts.js';
import { FitText } from '../../ui/fit-text.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatUsd, shortUsd } from '../../ui/format-usd.js';
import { Gauge } from '../../ui/gauge.js';
import { Line } from '../../ui/line.js';
import { Picker } from '../../ui/picker.js';
import { useSize } from '../../ui/size.js';
import { Tint, type Tone } from '../../ui/theme.js';
import { wrapped } from '../../ui/wrapped.js';
import { useNames } from '../use-names.js';
import { useBrowse } from './browse-context.js';
import { refusalText } from './refusal-text.js';
import { versionName } from '../../core/dataset/records/version-name.js';

/** With fewer rows, only the restore itself is described. */
const LOW_ROWS = 12;

/** The last confirmation before anything costs money: what, where to, when, and how much in each tier. */
export function ConfirmPanel(): ReactElement {
  const { columns, rows } = useSize();
  const marks = useBrowse((state) => chosenIn(state).marks);
  const version = useBrowse((state) => (state.page === 'changes' ? chosenIn(state).opened.version : undefined));
  const settings = useBrowse((state) => state.settings);
  const names = useNames();
  const refusal = useBrowse(refusalText);
  const from = version === undefined ? '' : ` from ${versionName(version)}`;
  const question = `Restore ${formatQuantity(marks.files, 'file')}, ${formatBytes(marks.bytes)}${from} to ${names(settings.outputDir)}?`;
  const [first = '', ...rest] = wrapped(question, columns - 3);
  const rowsOfTiers = useMemo(() => tierRows(marks, settings), [marks, settings]);
  const isUnpriced = rowsOfTiers.every(({ totalUsd }) => totalUsd === null);
  const prices = rowsOfTiers[0]?.pricesText ?? '';
  const facts = factsOf({ isRoomy: rows > LOW_ROWS, prices: isUnpriced ? undefined : prices, marks, settings });
  return (
    <Confirm question={first}>
      {rest.length > 0 && rest.map((line, at) => <Line key={at} left={<Tint tone="strong">{line}</Tint>} />)}
      <Line left={readableText(marks.files - marks.coldFiles, marks.coldFiles)} />
      <TierTable rows={rowsOfTiers} isUnpriced={isUnpriced} />
      {isUnpriced && <UnknownPrices prices={prices} />}
      {((refusal === undefined && !isUnpriced) || rows > LOW_ROWS) && (
        <Facts indent={3} facts={wrapFacts(facts, columns, 3)} />
      )}
      {refusal !== undefined && <Line left={<Tint tone="bad">{`  ${refusal}`}</Tint>} />}
    </Confirm>
  );
}

interface FactsSource extends Pick<BrowseState, 'marks' | 'settings'> {
  readonly isRoomy: boolean;
  /** Undefined where they are not known, which is said apart. */
  readonly prices: string | undefined;
}

function factsOf({ isRoomy, prices, marks, settings }: FactsSource): readonly Fact[] {
  const wait = { label: settings.wait ? 'with --wait' : 'without waiting', value: waitText(settings.wait) };
  return [
    ...(isRoomy ? [{ label: 'files that exist', value: 'replaced when they differ' }] : []),
    ...(isRoomy && prices !== undefined ? [{ label: 'prices', value: prices }] : []),
    ...(marks.coldFiles > 0 ? [wait] : []),
  ];
}

/** Which setting states the prices, in as many lines as it takes. */
function UnknownPrices({ prices }: { readonly prices: string }): ReactElement[] {
  const { columns } = useSize();
  return wrapped(`prices ${prices}`, columns - 4).map((line, at) => (
    <Line key={at} left={<Tint tone="warn">{`  ${line}`}</Tint>} />
  ));
}

const are = (files: number): string => `${formatQuantity(files, 'file')} ${files === 1 ? 'is' : 'are'}`;

function readableText(readable: number, cold: number): string {
  const now = `  ${are(readable)} readable now`;
  return cold === 0 ? now : `${now}, ${formatCount(cold)} in cold storage`;
}

const waitText = (wait: boolean): string =>
  wait ? 'this waits until all of it can be read' : 'a job is saved to fetch it later';

interface TierTableProps {
  readonly rows: readonly TierRow[];
  readonly isUnpriced: boolean;
}

/** A row for each tier, with the chosen one marked; below, its share of the cap. */
function TierTable({ rows, isUnpriced }: TierTableProps): ReactElement {
  const settings = useBrowse((state) => state.settings);
  const tier = useBrowse((state) => state.tier);
  const asked = useBrowse((state) => state.askedAt);
  const chosen = rows.findIndex((row) => row.tier === tier || row.tier === undefined);
  const columns = useMemo(() => tierColumns(rows, chosen, asked), [rows, chosen, asked]);
  return (
    <>
      <Picker count={rows.length} chosen={chosen} columns={columns} />
      {settings.maxCostUsd !== undefined && !isUnpriced && (
        <Cap usd={settings.maxCostUsd} of={rows[chosen]?.totalUsd ?? null} moneyWidth={moneyWidthOf(rows)} />
      )}
    </>
  );
}

const TIER_WIDTH = 9;
const READY_WIDTH = 17;
const LEAST_MONEY_WIDTH = 9;

/** Amounts are never cut: all columns are as wide as the longest of them. */
const moneyWidthOf = (rows: readonly TierRow[]): number =>
  Math.max(
    LEAST_MONEY_WIDTH,
    ...rows.flatMap(({ parts, totalUsd }) => [...Object.values(parts), totalUsd].map((usd) => shortUsd(usd).length)),
  );

interface CapProps {
  readonly usd: number;
  readonly of: number | null;
  readonly moneyWidth: number;
}

/** The share of the cap that the chosen tier takes, when it is known; as wide as the table. */
function Cap({ usd, of, moneyWidth }: CapProps): ReactElement {
  const { columns } = useSize();
  const first = 4 + TIER_WIDTH + GAP + READY_WIDTH;
  const sums = Math.min(5, Math.floor((columns - 3 - first) / (moneyWidth + GAP)));
  const label = '    --max-restore-cost ';
  const cap = ` of ${formatUsd(usd)}`;
  const width = first + sums * (moneyWidth + GAP) - 1 - label.length - cap.length;
  return (
    <Line
      left={
        <>
          <Tint tone="dim">{label}</Tint>
          {of === null ? ' '.repeat(width) : <Gauge share={of > 0 ? of / usd : 0} width={width} />}
          <Tint tone="dim">{cap}</Tint>
        </>
      }
    />
  );
}

/** Columns of the parts, of which the smallest of the chosen tier go first where there is no room for all. */
function tierColumns(rows: readonly TierRow[], chosen: number, asked: Date): readonly Column[] {
  const width = moneyWidthOf(rows);
  const amount = (item: RetrievalItem): number => rows[chosen]?.parts[item] ?? Infinity;
  const bySize = (['retrieval', 'transfer', 'temporaryCopy', 'requests'] as const).toSorted(
    (one, other) => amount(other) - amount(one) || 0,
  );

  const text = (at: number, value: string, width: number, isRight: boolean): ReactElement => {
    const row = rows[at];
    const tone: Tone = row?.hours === null ? 'dim' : row?.isOverCap === true ? 'bad' : 'plain';
    return <FitText text={value} width={width} align={isRight ? 'right' : 'left'} tone={tone} />;
  };
  const sum = (title: string, priority: number, of: (row: TierRow) => number | null): Column => ({
    title,
    width,
    priority,
    align: 'right',
    cell(at) {
      const row = rows[at];
      return text(at, row === undefined || row.hours === null ? '-' : shortUsd(of(row)), width, true);
    },
  });
  const part = (title: string, item: RetrievalItem): Column =>
    sum(title, 2 + bySize.indexOf(item), ({ parts }) => parts[item]);
  return [
    {
      title: 'TIER',
      width: TIER_WIDTH,
      priority: 0,
      cell: (at, width) => text(at, rows[at]?.tier ?? 'none', width, false),
    },
    {
      title: 'READY BY',
      width: READY_WIDTH,
      priority: 0,
      cell: (at, width) => text(at, readyText(asked, rows[at]?.hours ?? null), width, false),
    },
    part('RETRIEVAL', 'retrieval'),
    part('REQUESTS', 'requests'),
    part('COPY', 'temporaryCopy'),
    part('TRANSFER', 'transfer'),
    sum('TOTAL', 0, ({ totalUsd }) => totalUsd),
  ];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The latest time at which all can be read, by the clock of this computer: `tomorrow 02:10`. */
export function readyText(asked: Date, hours: number | null): string {
  if (hours === null) return 'not offered';
  if (hours === 0) return 'at once';
  const ready = new Date(asked.getTime() + hours * HOUR_MS);
  const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(ready) - midnight(asked)) / DAY_MS);
  const day = ['today', 'tomorrow'][days] ?? `in ${days} days`;
  return `${day} ${ready.toTimeString().slice(0, 5)}`;
}
