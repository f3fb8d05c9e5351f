// The result of a benchmark, as a table with bars and as JSON.
import { describeCompression, levelReason } from '../../../core/archive/run/compression-level.js';
import { chunkSizeFor } from '../../../core/archive/plan/chunk-plan.js';
import type { DataSource } from '../../../core/diagnostics/benchmark/benchmark-worker.js';
import { type BenchmarkResult, type BenchmarkRow } from '../../../core/diagnostics/benchmark/run-benchmark.js';
import { roundedUsd, type Usd } from '../../../core/cost/money.js';
import { originOf, type PriceList } from '../../../core/cost/price-table.js';
import { uploadBill } from '../../../core/cost/upload-cost.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatPercent, formatQuantity, formatRatio } from '../../../ui/format.js';
import { shortUsd } from '../../../ui/format-usd.js';
import { renderBars } from '../../../ui/result-chart.js';
import { fact, textOf } from '../../kit/lines.js';
import { priceSourceText } from '../../kit/price-lines.js';
import { type Column, column, numbers, tableText, type TableContext } from '../../kit/table.js';

export interface ShownBenchmark {
  readonly result: BenchmarkResult;
  readonly prices: PriceList;
  readonly storageClass: string;
  readonly source: DataSource;
}

interface Row extends BenchmarkRow {
  readonly ratio: number | null;
  readonly compressHoursPerTb: number | null;
  readonly decompressHoursPerTb: number | null;
  readonly monthlyUsdPerTb: Usd;
  readonly isChosen: boolean;
}

interface Drawn extends Row {
  readonly bar: string;
}

const TB = 1e12;
const HOUR = 3600;
const BAR_WIDTH = 16;

const COLUMNS: readonly Column<Drawn>[] = [
  column('ALGORITHM', ({ algorithm }) => algorithm),
  numbers('LEVEL', ({ level }) => level ?? undefined),
  numbers('RATIO', ({ ratio }) => (ratio === null ? undefined : formatRatio(ratio, 2))),
  column('STORED', ({ bar }) => bar, { dropOrder: 1 }),
  numbers('COMP. MB/s', ({ measured }) => measured && megabytes(measured.compressBytesPerSecond)),
  numbers('DECOMP. MB/s', ({ measured }) => measured && megabytes(measured.decompressBytesPerSecond)),
  numbers('HOURS/TB', ({ compressHoursPerTb: hours }) => hours?.toFixed(hours < 10 ? 1 : 0)),
  numbers('USD/TB MONTH', ({ measured, monthlyUsdPerTb }) => measured && shortUsd(monthlyUsdPerTb)),
  column(
    '',
    ({ measured, isChosen }) => (measured === undefined ? 'not installed' : isChosen ? 'an upload does' : ''),
    {
      dropOrder: 2,
    },
  ),
];

const megabytes = (bytesPerSecond: number): string => {
  const rate = bytesPerSecond / 1e6;
  return rate < 10 ? rate.toFixed(1) : rate.toFixed(0);
};

/** The cost of 1 TB of content for a month, in chunks as an upload makes them. */
function monthlyUsd(ratio: number, { prices, storageClass }: ShownBenchmark): Usd {
  const count = Math.ceil(TB / chunkSizeFor(TB, Number.POSITIVE_INFINITY, 1));
  const [storage] = uploadBill([{ storageClass, sizeBytes: TB / ratio / count, count }], prices).lines;
  return storage?.costUsd ?? null;
}

function rowsOf(shown: ShownBenchmark): readonly Row[] {
  const { rows, bytes, chosen } = shown.result;
  return rows.map((row) => {
    const { measured } = row;
    const ratio = measured === undefined ? null : bytes / measured.storedBytes;
    const hours = (rate: number | undefined): number | null => (rate === undefined ? null : TB / rate / HOUR);
    return {
      ...row,
      ratio,
      compressHoursPerTb: hours(measured?.compressBytesPerSecond),
      decompressHoursPerTb: hours(measured?.decompressBytesPerSecond),
      monthlyUsdPerTb: ratio === null ? null : monthlyUsd(ratio, shown),
      isChosen: row.algorithm === 'zstd' && chosen.some(({ level }) => level === row.level),
    };
  });
}

/** The JSON document of a result. */
export function benchmarkDocument(shown: ShownBenchmark) {
  const { result, source, prices, storageClass } = shown;
  const { bytes, blockBytes, threads, chosen } = result;
  return {
    dataType: 'type' in source ? source.type : null,
    file: 'file' in source ? source.file : null,
    bytes,
    blockBytes,
    threads,
    chosenLevels: chosen.map(({ level, bytes: size }) => ({
      compressionLevel: level,
      share: size / bytes,
      reason: levelReason(level),
    })),
    benchmarks: rowsOf(shown).map(({ measured, level, ratio, ...row }) => ({
      ...row,
      compressionLevel: level,
      compressionRatio: ratio,
      monthlyUsdPerTb: roundedUsd(row.monthlyUsdPerTb),
      isInstalled: measured !== undefined,
      storedBytes: measured?.storedBytes ?? null,
      compressBytesPerSecond: measured?.compressBytesPerSecond ?? null,
      decompressBytesPerSecond: measured?.decompressBytesPerSecond ?? null,
    })),
    storageClass,
    ...originOf(prices),
  };
}

/** The text of a result. */
export async function benchmarkText(shown: ShownBenchmark, context: TableContext): Promise<string> {
  const { result, source, prices, storageClass } = shown;
  const { bytes, blockBytes, threads, chosen } = result;
  const rows = rowsOf(shown);
  const bars = await renderBars(
    rows.map(({ ratio }) => (ratio === null ? 0 : Math.min(1, 1 / ratio))),
    BAR_WIDTH,
  );
  const what = 'file' in source ? printable(source.file) : `${source.type} data`;
  const missing = rows.filter(({ measured }) => measured === undefined).map(({ algorithm }) => algorithm);
  const table = await tableText(
    rows.map((row, index) => ({ ...row, bar: bars[index] ?? '' })),
    COLUMNS,
    context,
  );
  const head = `${what}: ${formatBytes(bytes)} in blocks of ${formatBytes(blockBytes)}, ${formatQuantity(threads, 'thread')}`;
  const choices = chosen.map(({ level, bytes: size }) => {
    const share = size === bytes ? '' : `${formatPercent(size / bytes)} of it: `;
    return `${share}zstd level ${level}, because ${levelReason(level)}`;
  });
  const priced = priceSourceText(prices);
  return `${textOf([head])}${table}${textOf([
    ...choices.map((choice, at) => fact(at === 0 ? 'an upload' : '', choice)),
    fact('', describeCompression(undefined)),
    fact('s2', 'measured as Snappy, which is valid S2'),
    ...(missing.length === 0
      ? []
      : [fact('missing', `${missing.join(' and ')}: npm install -g zstd-archiver --include=optional`)]),
    fact('prices', `${storageClass}, ${priced}`),
  ])}`;
}
