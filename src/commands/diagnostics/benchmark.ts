import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.js';
import type { Origins, Places, Results } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import type { ProgressContext } from '../../cli/progress.js';
import { conflicts } from '../../cli/rule.js';
import { outputFlags, storageClassFlag } from '../kit/flags.js';
import { priceFlags, priceRules } from '../money/price-flags.js';
import type { PriceContext } from '../money/chosen-prices.js';
import { stopwatch, withProgress } from '../kit/run.js';
import type { TableContext } from '../kit/table.js';

const flags = {
  size: flag.bytes(1, { default: '10MB', sample: '1GB', describe: 'how much data is made to be compressed' }),
  dataType: flag.choice(['text', 'binary', 'mixed', 'random'], {
    default: 'mixed',
    describe:
      'what is made, the same each time: text becomes 3 to 5 times smaller with zstd, binary (records) about 2, mixed (both, and random) 1.5 to 2, random nothing',
  }),
  file: flag.file({ placeholder: 'FILE', describe: 'compress this file instead' }),
  format: flag.choice(['table', 'json'], { short: 'f', default: 'table', describe: 'json is the same as --json' }),
  threads: flag.int([1, 64, [0]], { default: 0, describe: 'threads that compress; 0: as many as an upload uses' }),
  storageClass: storageClassFlag,
  ...priceFlags('us-east-1'),
  ...outputFlags,
};

type Context = Results<'benchmark'> & PriceContext & ProgressContext & TableContext & Origins & Pick<Places, 'cwd'>;

export const command = defineCommand({
  path: 'benchmark',
  summary: 'compare compression algorithms on this computer',
  description:
    'Compresses and decompresses the same data with gzip, zlib, zstd, lz4 and s2 at several levels, in blocks of the size of the frames of an ' +
    'upload and in as many threads, and compares each block byte for byte with what it was. Rates are those of all threads together, in MB ' +
    '(10^6 bytes) of content a second. Shows what an upload would choose, and what a TB (10^12 bytes) of such data takes: hours of ' +
    'compressing, and USD for a month in --storage-class. Archives are always zstd; the others are there to be compared with.\n' +
    's2 is measured as Snappy, which is valid S2 that every reader of it takes; encoders of S2 itself do somewhat better.',
  flags,
  rules: [conflicts('file', ['size', 'dataType']), ...priceRules],
  examples: [
    'archiver benchmark',
    'archiver benchmark --data-type text --size 200MB',
    'archiver benchmark --file ./dump.sql --json',
  ],
  exits: {
    0: 'compared, also where an algorithm is not installed',
    1: 'the file cannot be read, or data did not come back as it was',
  },
  async run(values, _args, context: Context) {
    const { runBenchmark } = await import('../../core/diagnostics/benchmark/run-benchmark.js');
    const { benchmarkDocument, benchmarkText } = await import('./benchmark/benchmark-result.js');
    const { workersFor } = await import('../../core/archive/run/settings.js');
    const { chosenPrices, warnOfRegion } = await import('../money/chosen-prices.js');
    const { documentLine } = await import('../../core/platform/json/document.js');
    const elapsed = stopwatch(context);
    const prices = await chosenPrices(values, context);
    await warnOfRegion(prices, context);
    const { source, bytes } = await dataOf(values, context);
    const threads = values.threads === 0 ? workersFor(undefined) : values.threads;
    const result = await withProgress(context, values, (emit) => {
      emit({ type: 'start', operation: 'benchmark', source: values.file ?? `${values.dataType} data`, target: '' });
      return runBenchmark({ source, bytes, threads, emit, signal: context.signal });
    });
    const shown = { result, prices, storageClass: values.storageClass, source };
    const document = { ...benchmarkDocument(shown), durationMs: elapsed() };
    const text = values.format === 'json' || context.json ? '' : await benchmarkText(shown, context);
    context.result(document, () => (values.format === 'json' ? documentLine(document) : text));
  },
});

type FlagValues = Values<typeof flags>;

async function dataOf({ file, size, dataType }: FlagValues, { cwd }: Pick<Places, 'cwd'>) {
  if (file === undefined) return { source: { type: dataType }, bytes: size } as const;
  const { stat } = await import('node:fs/promises');
  const { fileFailure } = await import('../../core/platform/failures/file-failure.js');
  const { usageError } = await import('../../core/platform/failures/errors.js');
  const { printable } = await import('../../core/platform/paths/raw-path.js');
  const path = resolve(cwd, file);
  const info = await stat(path).catch((error: unknown) => {
    throw fileFailure('read', path, error);
  });
  if (!info.isFile()) throw usageError(`${printable(path)} is no file`, 'archiver estimate PATH looks at a folder');
  if (info.size === 0) throw usageError(`${printable(path)} is empty: there is nothing to compress`);
  return { source: { file: path }, bytes: info.size } as const;
}
