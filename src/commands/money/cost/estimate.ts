import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { storageClassFlag } from '../../kit/flags.js';
import { priceFlags, priceRules } from '../price-flags.js';
import { fact } from '../../kit/lines.js';
import { priceSourceText } from '../../kit/price-lines.js';
import type { PriceContext } from '../chosen-prices.js';
import { fitLines, type TableContext } from '../../kit/table.js';

const flags = {
  size: flag.bytes(1, { required: true, sample: '1TB', describe: 'how much is stored, such as 100GB or 1TiB' }),
  storageClass: storageClassFlag,
  operation: flag.choice(['upload', 'download'], {
    default: 'upload',
    describe: 'what is estimated: putting it there and keeping it, or getting all of it back',
  }),
  ...priceFlags(),
};

export const command = defineCommand({
  path: 'cost estimate',
  summary: 'estimate what an amount of data costs',
  description:
    'Takes the size as what is stored, in chunks as an upload makes them; `archiver estimate PATH` looks at a folder and at how ' +
    'well it compresses. Amounts are the most that it costs: each is priced as if nothing else filled the cheaper bands of the ' +
    'account, and as if its free transfer were used up. Transfer inside the region is free.',
  flags,
  rules: priceRules,
  examples: [
    'archiver cost estimate --size 1TB --storage-class DEEP_ARCHIVE',
    'archiver cost estimate --size 500GiB --storage-class GLACIER --operation download',
    'archiver cost estimate --size 100GB --provider b2 --json',
  ],
  exits: { 0: 'estimated, also where a price is not known', 1: 'AWS does not give its prices (--real-time-pricing)' },
  async run(
    { size, storageClass, operation, ...values },
    _args,
    context: Results<'cost estimate'> & PriceContext & TableContext,
  ) {
    const { chosenPrices, warnOfRegion } = await import('../chosen-prices.js');
    const { classEstimate } = await import('../../../core/cost/class-estimate.js');
    const { roughlyPlanned } = await import('../../../core/archive/plan/planned-upload.js');
    const { autoShardCount } = await import('../../../core/archive/run/shard-strategy.js');
    const { classEstimateDocument, keepingFacts, restoreFacts } = await import('../class-estimate.js');
    const { originOf } = await import('../../../core/cost/price-table.js');
    const prices = await chosenPrices(values, context);
    await warnOfRegion(prices, context);
    const content = { storageClass, files: 0, bytes: size, packedBytes: size };
    const planned = roughlyPlanned(content, autoShardCount(size));
    const estimate = classEstimate(storageClass, [...planned.objects()], prices);
    const document = { operation, ...classEstimateDocument(estimate), ...originOf(prices) };
    const lines = [
      `${formatBytes(size)} in ${storageClass}, in about ${formatQuantity(estimate.objects, 'object')}`,
      ...(operation === 'upload' ? keepingFacts(estimate) : restoreFacts(estimate)),
      fact('prices', priceSourceText(prices)),
    ];
    const text = await fitLines(lines, context);
    context.result(document, () => text);
  },
});
