import { type ReactElement, useMemo } from 'react';
import { chosenIn } from '../../stores/browse/browse-state.js';
import { type TierRow, tierRows } from '../../stores/browse/cost.js';
import { type Column, GAP } from '../../ui/columns.js';
import { Confirm } from '../../ui/confirm.js';
import { Facts } from '../../ui/facts.js';
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
  const facts = [
    ...(rows > LOW_ROWS ? [{ label: 'files that exist', value: 'replaced when they differ' }] : []),
    ...(marks.coldFiles > 0
      ? [{ label: settings.wait ? 'with --wait' : 'without waiting', value: waitText(settings.wait) }]
      : []),
  ];
  return (
    <Confirm question={first}>
      {rest.length > 0 && rest.map((line, at) => <Line key={at} left={<Tint tone="strong">{line}</Tint>} />)}
      <Line left={readableText(marks.files - marks.coldFiles, marks.coldFiles)} />
      <TierTable />
      {(refusal === undefined || rows > LOW_ROWS) && <Facts indent={3} facts={facts} />}
      {refusal !== undefined && <Line left={<Tint tone="bad">{`  ${refusal}`}</Tint>} />}
    </Confirm>
  );
}

const are = (files: number): string => `${formatQuantity(files, 'file')} ${files === 1 ? 'is' : 'are'}`;

function readableText(readable: number, cold: number): string {
  const now = `  ${are(readable)} readable now`;
  return cold === 0 ? now : `${now}, ${formatCount(cold)} in cold storage`;
}

const waitText = (wait: boolean): string =>
  wait ? 'this waits until all of it can be read' : 'a job is saved to fetch it later';

/** A row for each tier, with the chosen one marked; below, its share of the cap. */
function TierTable(): ReactElement {
  const marks = useBrowse((state) => chosenIn(state).marks);
  const settings = useBrowse((state) => state.settings);
  const tier = useBrowse((state) => state.tier);
  const asked = useBrowse((state) => state.askedAt);
  const rows = useMemo(() => tierRows(marks, settings), [marks, settings]);
  const columns = useMemo(() => tierColumns(rows, asked), [rows, asked]);
  const chosen = rows.findIndex((row) => row.tier === tier || row.tier === undefined);
  return (
    <>
      <Picker count={rows.length} chosen={chosen} columns={columns} />
      {settings.maxCostUsd !== undefined && <Cap usd={settings.maxCostUsd} of={rows[chosen]?.totalUsd ?? null} />}
    </>
  );
}

const TIER_WIDTH = 9;
const READY_WIDTH = 17;
const MONEY_WIDTH = 9;

/** The share of the cap that the chosen tier takes, when it is known; as wide as the table. */
function Cap({ usd, of }: { readonly usd: number; readonly of: number | null }): ReactElement {
  const { columns } = useSize();
  const first = 4 + TIER_WIDTH + GAP + READY_WIDTH;
  const sums = Math.min(5, Math.floor((columns - 3 - first) / (MONEY_WIDTH + GAP)));
  const label = '    --max-restore-cost ';
  const cap = ` of ${formatUsd(usd)}`;
  const width = first + sums * (MONEY_WIDTH + GAP) - 1 - label.length - cap.length;
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

function tierColumns(rows: readonly TierRow[], asked: Date): readonly Column[] {
  const text = (at: number, value: string, width: number, isRight: boolean): ReactElement => {
    const row = rows[at];
    const tone: Tone = row?.hours === null ? 'dim' : row?.isOverCap === true ? 'bad' : 'plain';
    return <FitText text={value} width={width} align={isRight ? 'right' : 'left'} tone={tone} />;
  };
  const money = (title: string, priority: number, of: (row: TierRow) => number | null): Column => ({
    title,
    width: MONEY_WIDTH,
    priority,
    align: 'right',
    cell(at, width) {
      const row = rows[at];
      return text(at, row === undefined || row.hours === null ? '-' : shortUsd(of(row)), width, true);
    },
  });
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
    money('RETRIEVAL', 2, ({ parts }) => parts.retrieval),
    money('REQUESTS', 5, ({ parts }) => parts.requests),
    money('COPY', 4, ({ parts }) => parts.temporaryCopy),
    money('TRANSFER', 3, ({ parts }) => parts.transfer),
    money('TOTAL', 0, ({ totalUsd }) => totalUsd),
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
