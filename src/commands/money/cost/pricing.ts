import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import type { ClassPrices, PriceList, Rate, RetrievalWay } from '../../../core/cost/price-table.js';
import { formatUnitUsd } from '../../../ui/format-usd.js';
import { priceFlags, priceRules } from '../price-flags.js';
import { fact } from '../../kit/lines.js';
import { priceSourceText } from '../../kit/price-lines.js';
import type { PriceContext } from '../chosen-prices.js';
import { type Column, column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';

interface Row extends ClassPrices {
  readonly storageClass: string;
  readonly minimumDays: number | null;
}

const COLUMNS: readonly Column<Row>[] = [
  column('CLASS', ({ storageClass }) => storageClass, { isCuttable: false }),
  numbers('GB-MONTH', ({ storage }) => rateText(storage)),
  numbers('PUT/1000', ({ putPer1000 }) => rateText(putPer1000), { dropOrder: 1 }),
  numbers('GET/1000', ({ getPer1000 }) => rateText(getPer1000), { dropOrder: 2 }),
  numbers('MOVE/1000', ({ transitionInPer1000 }) => rateText(transitionInPer1000), { dropOrder: 4 }),
  column('RETRIEVAL/GB', ({ retrievalPerGB }) => byWay(retrievalPerGB), { dropOrder: 5 }),
  column('ASKED BACK/1000', ({ retrievalRequestPer1000 }) => byWay(retrievalRequestPer1000), { dropOrder: 6 }),
  numbers('MIN. DAYS', ({ minimumDays }) => minimumDays ?? undefined, { dropOrder: 3 }),
];

const bandsOf = (rate: Rate | undefined) =>
  typeof rate === 'number'
    ? [{ upToGb: null, usd: rate }]
    : (rate ?? []).map(({ upToGB, usdPerGB, usdPerGBMonth }) => ({
        upToGb: upToGB,
        usd: usdPerGB ?? usdPerGBMonth ?? null,
      }));

/** The price of a rate without bands: all but storage and transfer. */
const unitPrice = (rate: Rate = null): number | null => (typeof rate === 'number' ? rate : null);

const unitPrices = (rates: ClassPrices['retrievalPerGB']) =>
  Object.fromEntries(Object.entries(rates).map(([way, rate]) => [way, unitPrice(rate)]));

/** The prices of all bands, from the first one on. */
const rateText = (rate: Rate | undefined): string | undefined =>
  rate === null || rate === undefined
    ? undefined
    : bandsOf(rate)
        .map(({ usd }) => formatUnitUsd(usd))
        .join(' / ');

const WAYS: readonly RetrievalWay[] = ['instant', 'expedited', 'standard', 'bulk'];

/** A single price, or one for each tier from fast to slow. */
function byWay(rates: ClassPrices['retrievalPerGB']): string | undefined {
  const known = WAYS.flatMap((way) => {
    const text = rateText(rates[way]);
    return text === undefined ? [] : [way === 'instant' ? text : `${way} ${text}`];
  });
  return known.length === 0 ? undefined : known.join(', ');
}

export const command = defineCommand({
  path: 'cost pricing',
  summary: 'show the prices of storage, requests and transfer',
  description:
    'Prices in USD, of the list that comes with archiver or, with --real-time-pricing, of today; those of the config file ' +
    '(costControl.priceDiscount, costControl.ownPrices) hold here as everywhere, and it is said that they do. Where a price has ' +
    'bands, those of the first TB come first; see --json for where they end. A dash is a price that is not known, or a thing that ' +
    'is not sold.',
  flags: priceFlags(),
  rules: priceRules,
  examples: [
    'archiver cost pricing --region eu-central-1',
    'archiver cost pricing --provider wasabi',
    'archiver cost pricing --real-time-pricing --json',
  ],
  exits: { 0: 'shown', 1: 'there are no prices for this region, or AWS does not give them' },
  async run(values, _args, context: Results<'cost pricing'> & PriceContext & TableContext) {
    const { chosenPrices, refuseUnknownRegion } = await import('../chosen-prices.js');
    const { classRule } = await import('../../../core/cost/price-table.js');
    const prices = await chosenPrices(values, context);
    await refuseUnknownRegion(prices);
    const rows = Object.entries(prices.classes).flatMap(([storageClass, own]): Row[] =>
      own === null
        ? []
        : [{ ...own, storageClass, minimumDays: classRule(prices, storageClass)?.minStorageDays ?? null }],
    );
    const table = await tableText(rows, COLUMNS, context);
    const about = await fitLines(placeLines(prices), context);
    context.result(documentOf(prices, rows), () => `${table}${about}`);
  },
});

/** Lines about prices that apply to the whole place. */
function placeLines(prices: PriceList): readonly string[] {
  const { dataTransferOutInternet, freeTransfer, kmsPer1000, listPer1000, minimumGB } = prices;
  const sent = rateText(dataTransferOutInternet?.tiers);
  const free = [
    ...(freeTransfer.gb > 0 ? [`the first ${freeTransfer.gb} GB of an account each month are free`] : []),
    ...(freeTransfer.timesStored > 0
      ? [
          `as much as ${freeTransfer.timesStored === 1 ? '' : `${freeTransfer.timesStored} times `}what is stored is free each month`,
        ]
      : []),
  ];
  return [
    fact('transfer', [sent === undefined ? 'not known' : `${sent} a GB to the internet`, ...free].join('; ')),
    fact('list', listPer1000 === null ? 'not known' : `${rateText(listPer1000) ?? ''} for 1000 listings`),
    ...(kmsPer1000 === null ? [] : [fact('kms', `${rateText(kmsPer1000) ?? ''} for 1000 requests of SSE-KMS`)]),
    ...(minimumGB === 0 ? [] : [fact('minimum', `${minimumGB} GB are billed each month, even if less is stored`)]),
    fact('prices', priceSourceText(prices)),
  ];
}

function documentOf(prices: PriceList, rows: readonly Row[]) {
  const {
    provider,
    region,
    pricesOf,
    terms,
    kmsPer1000,
    listPer1000,
    dataTransferOutInternet,
    freeTransfer,
    minimumGB,
  } = prices;
  return {
    provider,
    region,
    pricesOf,
    terms,
    bytesPerGb: prices.bytesAGB,
    classPrices: rows.map((row) => ({
      storageClass: row.storageClass,
      minimumDays: row.minimumDays,
      storage: bandsOf(row.storage),
      putPer1000: unitPrice(row.putPer1000),
      getPer1000: unitPrice(row.getPer1000),
      transitionPer1000: unitPrice(row.transitionInPer1000),
      retrievalPerGb: unitPrices(row.retrievalPerGB),
      retrievalRequestPer1000: unitPrices(row.retrievalRequestPer1000),
      monitoringPer1000: unitPrice(row.monitoringPer1000ObjectsMonth),
    })),
    listPer1000: unitPrice(listPer1000),
    kmsPer1000: unitPrice(kmsPer1000),
    transferOut: bandsOf(dataTransferOutInternet?.tiers),
    freeTransferGb: freeTransfer.gb,
    freeTransferTimesStored: freeTransfer.timesStored,
    minimumGb: minimumGB,
  };
}
