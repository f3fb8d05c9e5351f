import { defineCommand } from '../../../cli/command.js';
import type { Pricing, Results } from '../../../cli/context.js';
import { fineUsd } from '../../../ui/format-usd.js';
import { formatBytes, formatCount } from '../../../ui/format.js';
import { flag } from '../../../cli/flag.js';
import type { ToolCost } from '../../../core/money/tool-costs/compare-tools.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { storageClassFlag } from '../../kit/flags.js';
import { costFlags } from '../price-flags.js';
import { fact } from '../../kit/lines.js';
import { priceListText } from '../../kit/price-lines.js';
import { type Column, column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';

interface Row extends ToolCost {
  readonly bar: string;
}

const BAR_WIDTH = 30;

const COLUMNS: readonly Column<Row>[] = [
  column('TOOL', ({ program }) => program),
  numbers('OBJECTS', ({ objects }) => formatCount(objects), { dropOrder: 3 }),
  numbers('STORED', ({ storedBytes }) => formatBytes(storedBytes), { dropOrder: 1 }),
  numbers('REQUESTS', ({ requests: { put, head, list } }) => formatCount(put + head + list), { dropOrder: 2 }),
  numbers('THEIR COST', ({ requestsUsd }) => fineUsd(requestsUsd)),
  numbers('MONTH OF STORAGE', ({ monthlyUsd }) => fineUsd(monthlyUsd)),
  column('BOTH', ({ bar }) => bar, { dropOrder: 4 }),
];

const ratio = (describe: string) => flag.float([1, 1_000_000], { default: 1, placeholder: 'RATIO', describe });

export const command = defineCommand({
  path: 'cost benchmark-compare',
  summary: 'compare what tools pay for putting the same files',
  description:
    'Requests and storage of s5cmd, rclone, the AWS CLI and archiver, in USD: a model of what each sends with its defaults, not ' +
    'a measurement. The model of each tool is a part of the result. All files have one size. Prints JSON; --chart prints a table ' +
    'with bars instead. A price that is not known is null.',
  flags: {
    ...costFlags(),
    sizeGb: flag.float([0, 8_000_000], {
      required: true,
      placeholder: 'GB',
      describe: 'size of all files, in GB of 2^30 bytes',
    }),
    files: flag.int([1, 1_000_000_000_000], { required: true, placeholder: 'COUNT', describe: 'number of files' }),
    compressionRatio: ratio('times that content is larger than it is compressed; only archiver compresses'),
    dedupRatio: ratio(
      'times that all content is larger than what differs of it; only archiver stores equal content once',
    ),
    storageClass: storageClassFlag,
    tool: flag.choice(['s5cmd', 'rclone', 'aws-cli', 'archiver', 'cargoship'], {
      describe: 'compare only this one with archiver, which goes by the name cargoship too',
    }),
    chart: flag.on({ describe: 'print a table with bars; --json prints the document all the same' }),
  },
  examples: [
    'archiver cost benchmark-compare --size-gb 500 --files 1000000',
    'archiver cost benchmark-compare --size-gb 500 --files 1000000 --compression-ratio 2 --tool rclone --chart',
  ],
  exits: { 0: 'compared, also where a price is not known' },
  async run(values, _args, context: Results<'cost benchmark-compare'> & TableContext & Pricing) {
    const [{ originOf, BYTES_A_GB }, { roundedUsd }, { pricedBy }, { toolCost }, { TOOL_NAMES }, { documentLine }] =
      await Promise.all([
        import('../../../core/cost/price-table.js'),
        import('../../../core/cost/money.js'),
        import('../../kit/prices.js'),
        import('../../../core/money/tool-costs/compare-tools.js'),
        import('../../../core/money/tool-costs/tools.js'),
        import('../../../core/platform/json/document.js'),
      ]);
    const { files, compressionRatio, dedupRatio, storageClass, region, tool: chosen } = values;
    const bytes = Math.round(values.sizeGb * BYTES_A_GB);
    const prices = pricedBy(context, {}).book({ provider: 'aws', region });
    const tools = TOOL_NAMES.filter((tool) => chosen === undefined || tool === chosen || tool === 'archiver').map(
      (tool) => {
        const cost = toolCost(tool, { files, bytes, compressionRatio, dedupRatio }, storageClass, prices);
        const { requestsUsd, monthlyUsd, costUsd } = cost;
        return {
          ...cost,
          requestsUsd: roundedUsd(requestsUsd),
          monthlyUsd: roundedUsd(monthlyUsd),
          costUsd: roundedUsd(costUsd),
        };
      },
    );
    const document = { bytes, files, compressionRatio, dedupRatio, storageClass, ...originOf(prices), tools };
    const isKnown = tools.some(({ costUsd }) => costUsd !== null);
    const list = isKnown ? priceListText(prices) : undefined;
    const source = list ?? `none are known for ${storageClass} in ${printable(region)}`;
    const chart = values.chart ? await chartText(tools, source, context) : '';
    context.result(document, () => (values.chart ? chart : documentLine(document)));
  },
});

async function chartText(tools: readonly ToolCost[], prices: string, context: TableContext): Promise<string> {
  const { renderBars } = await import('../../../ui/result-chart.js');
  const highest = Math.max(...tools.map(({ costUsd }) => costUsd ?? 0), Number.MIN_VALUE);
  const bars = await renderBars(
    tools.map(({ costUsd }) => (costUsd ?? 0) / highest),
    BAR_WIDTH,
  );
  const rows = tools.map((tool, index) => ({ ...tool, bar: bars[index] ?? '' }));
  const models = tools.map(({ program, model }) => fact(program, model));
  const about = await fitLines([...models, fact('prices', prices)], context);
  return (await tableText(rows, COLUMNS, context)) + about;
}
