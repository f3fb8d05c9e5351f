// Costs of the store and possible savings: a scan that the user starts, and the result of the last one.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import {
  type Analysis,
  type AnalysisResult,
  type ClassRow,
  rateOf,
  type ScanCounts,
} from '../../../stores/dashboard/analysis.js';
import type { Column } from '../../../ui/columns.js';
import { Facts, wrapFacts } from '../../../ui/facts.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../../ui/format.js';
import { clockTime } from '../../../ui/format-time.js';
import { shortUsd } from '../../../ui/format-usd.js';
import { Empty } from '../../../ui/empty.js';
import { Paragraph } from '../../../ui/paragraph.js';
import { useSize } from '../../../ui/size.js';
import type { Message } from '../../../ui/status.js';
import { Table } from '../../../ui/table.js';
import { Tint, useTheme } from '../../../ui/theme.js';
import type { Binding } from '../../../ui/use-keys.js';
import { useNames } from '../../use-names.js';
import { useStore } from 'zustand';
import { type Dashboard, useDashboard, useSource, useStoreSources } from '../dashboard-context.js';
import { cellsOf } from '../cells.js';
import { missingStoreHint } from '../store-words.js';
import type { DashboardView } from '../view.js';

function AnalyzeView(): ReactElement {
  const { analysis } = useStoreSources();
  const { value, problem } = useSource(analysis);
  const isScanning = useStore(analysis, (state) => state.isReading);
  const names = useNames();
  return (
    <Box flexDirection="column" rowGap={1}>
      {problem !== undefined && !isScanning && <Paragraph tone="bad">{`The scan failed: ${names(problem)}`}</Paragraph>}
      {isScanning && <Counts scan={value?.scan} />}
      {value?.result === undefined ? !isScanning && <Idle value={value} /> : <Result result={value.result} />}
    </Box>
  );
}

/** Explains what a scan will do; it never starts by itself. */
function Idle({ value }: { readonly value: Analysis | undefined }): ReactElement {
  const { target, isPrinted } = useDashboard();
  const names = useNames();
  const url = target.url ?? '';
  if (isPrinted === true)
    return (
      <Empty sentence="What is printed once is not scanned for." next={names(`archiver analyze ${url} does that`)} />
    );
  const cost = url.startsWith('file:')
    ? 'It reads the folder and costs nothing.'
    : 'It sends about one LIST request for 1000 objects (at AWS about $0.005 for 1000 requests), and downloads nothing.';
  return (
    <Box flexDirection="column" paddingTop={1} rowGap={1}>
      <Paragraph>
        {value?.scan === undefined
          ? 'No scan yet.'
          : `The scan was given up after ${formatQuantity(value.scan.objects, 'object')}.`}
      </Paragraph>
      <Paragraph>{names(`Press a to list ${url} and price what is stored there.`)}</Paragraph>
      <Paragraph tone="dim">{`${cost} It never starts on its own.`}</Paragraph>
    </Box>
  );
}

function Counts({ scan }: { readonly scan: ScanCounts | undefined }): ReactElement {
  if (scan === undefined) return <Paragraph>scanning</Paragraph>;
  const { pages, objects, bytes, elapsedMs } = scan;
  const pagesText = pages === 0 ? '' : `${formatQuantity(pages, 'page')}, `;
  return (
    <Paragraph tone="accent">
      {`scanning: ${pagesText}${formatQuantity(objects, 'object')}, ${formatBytes(bytes)} in ${formatDuration(elapsedMs)}, ${formatCount(rateOf(scan))} objects/s`}
    </Paragraph>
  );
}

const SUMMARY_ROWS = 2;

function Result({ result }: { readonly result: AnalysisResult }): ReactElement {
  const { columns: width, rows } = useSize();
  const { glyphs } = useTheme();
  const { classes, objects, bytes, endedAt, durationMs, facts } = result;
  const lines = useMemo((): readonly ClassRow[] => [...classes, totalOf(result)], [classes, result]);
  const columns = useMemo(() => classColumns(lines, result), [lines, result]);
  // The head, an empty row, the titles; then as many facts as there is room for.
  const tableRows = Math.min(lines.length + 1, rows - SUMMARY_ROWS);
  const room = rows - SUMMARY_ROWS - tableRows - 1;
  return (
    <Box flexDirection="column" rowGap={1}>
      <Tint>
        <Tint tone="good">{` ${glyphs.good} `}</Tint>
        {`Scanned ${formatQuantity(objects, 'object')}, ${formatBytes(bytes)} in ${formatDuration(durationMs)} at ${clockTime(endedAt)}`}
      </Tint>
      <Table count={lines.length} cursor={-1} columns={columns} height={tableRows} indent={1} />
      {room > 0 && <Facts facts={wrapFacts(facts, width, 2).slice(0, room)} indent={2} />}
    </Box>
  );
}

const sumOf = (amounts: readonly (number | null)[]): number | null =>
  amounts.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);

const totalOf = ({ classes, objects, bytes, monthlyUsd }: AnalysisResult): ClassRow => ({
  storageClass: 'total',
  objects,
  bytes,
  monthlyUsd,
  better: null,
  savedUsd: sumOf(classes.map(({ savedUsd }) => savedUsd)),
});

function classColumns(lines: readonly ClassRow[], { isFolder }: AnalysisResult): readonly Column[] {
  const of = cellsOf(lines);
  const isTotal = (row: ClassRow): boolean => row === lines.at(-1);
  const betterText = (row: ClassRow): string => {
    if (isTotal(row) || isFolder) return '';
    return row.better ?? (row.savedUsd === null ? 'unknown' : 'keep');
  };
  const savedText = (row: ClassRow): string => {
    if (isFolder) return '';
    if (row.savedUsd === null) return 'unknown';
    return row.savedUsd === 0 ? '-' : shortUsd(row.savedUsd);
  };
  const right = { align: 'right' } as const;
  const longest = (title: string, text: (row: ClassRow) => string): number =>
    Math.max(title.length, ...lines.map((row) => text(row).length));
  return [
    {
      title: 'STORAGE CLASS',
      width: longest('STORAGE CLASS', ({ storageClass }) => storageClass),
      priority: 0,
      cell: of(({ storageClass }) => storageClass),
    },
    { title: 'OBJECTS', width: 11, ...right, priority: 1, cell: of((row) => formatCount(row.objects)) },
    { title: 'SIZE', width: 8, ...right, priority: 0, cell: of((row) => formatBytes(row.bytes)) },
    { title: 'NOW $/mo', width: 10, ...right, priority: 0, cell: of((row) => shortUsd(row.monthlyUsd)) },
    { title: 'BETTER AS', width: longest('BETTER AS', betterText), priority: 2, cell: of(betterText) },
    { title: 'SAVES $/mo', width: 10, ...right, priority: 2, cell: of(savedText) },
  ];
}

function summary({ sources: { store } }: Dashboard): Message {
  const { value, problem, isReading } = store?.analysis.getState() ?? {};
  if (isReading === true) return { text: 'scanning; esc gives it up' };
  if (problem !== undefined) return { text: problem, tone: 'bad' };
  const result = value?.result;
  if (result === undefined) return { text: 'idle' };
  const given = value?.scan === undefined ? '' : 'the last scan was given up; ';
  return { text: `${given}figures of ${clockTime(result.endedAt)}, ${result.pricesText}` };
}

function bindings({ sources: { store } }: Dashboard): readonly Binding[] {
  if (store === undefined) return [];
  const { isReading, value, refresh, stop } = store.analysis.getState();
  const group = 'this view';
  if (isReading)
    return [{ group, keys: ['escape', 'a'], help: 'give up the scan', hint: 'give up', priority: 0, run: stop }];
  const hint = value?.result === undefined ? 'scan' : 'scan again';
  return [{ group, keys: ['a'], help: 'list the store and price it', hint, priority: 0, run: () => void refresh() }];
}

export const analyzeView: DashboardView = {
  id: 'analyze',
  title: 'Analyze',
  reads: () => [],
  follows: ({ store }) => (store === undefined ? [] : [store.analysis]),
  lacks: missingStoreHint,
  View: AnalyzeView,
  summary,
  bindings,
  toJson: () => ({}),
};
