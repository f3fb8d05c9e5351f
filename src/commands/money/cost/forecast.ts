import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { Forecast, Prediction } from '../../../core/money/forecast/forecast.js';
import { knownAmounts } from '../../../core/money/forecast/series.js';
import { formatCount } from '../../../ui/format.js';
import { formatUsd, shortUsd } from '../../../ui/format-usd.js';
import { fact } from '../../kit/lines.js';
import {
  chartFact,
  daysFacts,
  historyFromToday,
  projectArg,
  seriesDocument,
  type SpendSeries,
  spendSeries,
  storedFacts,
  subjectText,
  tooFewText,
} from '../spend-series.js';
import { ESTIMATED, type LedgerContext, ledgerFlags } from '../spent.js';
import { type Column, column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';
import { nearestUsd } from '../../../core/cost/money.js';

interface Row extends Prediction {
  readonly lastDay: string;
}

const range = (index: number) =>
  numbers<Row>(
    ['90%', '95%', '99%'][index] ?? '',
    ({ intervals }) => {
      const { low = 0, high = 0 } = intervals[index] ?? {};
      return `${shortUsd(low)} to ${shortUsd(high)}`;
    },
    { dropOrder: index + 1 },
  );

const STORED_COLUMNS: readonly Column<Row>[] = [
  numbers('DAYS', ({ days }) => days),
  column('UNTIL', ({ lastDay }) => lastDay, { isCuttable: false }),
  numbers('STORED', ({ stored }) => shortUsd(stored)),
];

const COLUMNS: readonly Column<Row>[] = [
  ...STORED_COLUMNS,
  numbers('EXPECTED', ({ expected }) => shortUsd(expected)),
  range(0),
  range(1),
  range(2),
];

export const command = defineCommand({
  path: 'cost forecast',
  summary: 'forecast what the days to come cost',
  description:
    'What is stored now goes on costing money until it is deleted, and that is known: the report prices the days to come ' +
    'as it does those that are over, and transitions count once they are recorded. On top of it comes what a model expects of ' +
    'one-time costs (requests, retrieval, transfer) and of what will be stored in addition, each of which goes by what was recorded for ' +
    'each day after the first. What came in one burst, or in a few, is no rate: it is not expected again, and stays in the doubt. The ' +
    'sums of the next 7, 14, 30, 60 and 90 days, the first of which is today, each with the ranges that hold in 90%, 95% and 99% of ' +
    'cases if the model is right; none is below the known cost, as nothing is deleted by itself. Accuracy is ' +
    'that of a back-test: the whole forecast is made from each beginning of these days, and compared with the week after it. linear: a ' +
    'line; exponential: a level and a trend that follow (Holt); moving_average: as the last week was; ensemble: all three, by ' +
    'how well each did in the back-test.',
  args: [projectArg],
  flags: {
    ...ledgerFlags,
    days: flag.int([7, 90], { default: 90, describe: 'days to go by, up to yesterday' }),
    model: flag.choice(['linear', 'exponential', 'moving_average', 'ensemble'], {
      default: 'linear',
      describe: 'how days follow from those before them',
    }),
  },
  examples: ['archiver cost forecast', 'archiver cost forecast genome --model ensemble --json'],
  exits: {
    0: 'forecast',
    1: 'fewer than seven days are known (what is stored is told, without statistics), nothing is recorded for the project, or the ledger cannot be read',
  },
  async run(
    { days, model, inRegion: region },
    [project],
    context: Results<'cost forecast'> & LedgerContext & TableContext,
  ) {
    const { forecast, LOOK_AHEAD_DAYS } = await import('../../../core/money/forecast/forecast.js');
    const { plusDays } = await import('../../../core/money/ledger/days.js');
    const series = await spendSeries(context, { project, region, days, coming: LOOK_AHEAD_DAYS });
    const result = forecast(historyFromToday(series), model);
    const rows = result.predictions.map((prediction) => ({
      ...prediction,
      lastDay: plusDays(series.lastDay, prediction.days),
    }));
    const document = { kind: result.kind, model, ...seriesDocument(series), predictions: predictionsOf(rows) };
    const hasStatistics = result.kind === 'forecast';
    const table = await tableText(rows, hasStatistics ? COLUMNS : STORED_COLUMNS, context);
    const ends = await fitLines(['', ESTIMATED], context);
    if (!hasStatistics) {
      const lines = [`${subjectText(series)}: ${tooFewText(result)}`, ...storedFacts(series)];
      const head = await fitLines(lines, context);
      context.result({ ...document, neededDays: result.neededDays }, () => `${head}\n${table}${ends}`);
      return 1;
    }
    const head = await fitLines(await forecastLines(series, result), context);
    context.result({ ...document, ...forecastDocument(result) }, () => `${head}\n${table}${ends}`);
    return 0;
  },
});

async function forecastLines(series: SpendSeries, result: Forecast): Promise<readonly string[]> {
  const { model, knownDays, path, accuracy, predictions } = result;
  const known = knownAmounts(series.days.map(({ cost }) => cost)).map(({ value }) => value);
  const words = model.replace('_', ' ');
  const last = predictions.at(-1);
  const isMore = last !== undefined && last.expected > last.stored + series.today.once;
  return [
    `${subjectText(series)}: what the days to come cost (${words}), from ${knownDays} days`,
    ...daysFacts(series),
    await chartFact('chart', [...known, ...path]),
    ...storedFacts(series),
    ...(isMore ? [] : [fact('on top', 'nothing is expected: nothing has come often enough for a rate')]),
    fact('accuracy', accuracyText(accuracy)),
  ];
}

function accuracyText(accuracy: Forecast['accuracy']): string {
  if (accuracy === null) return 'not known: there are too few days to try the model on';
  const { r2, mae, rmse, forecasts } = accuracy;
  const share = r2 === null ? 'not meaningful' : r2.toFixed(2);
  const [mean, square] = [mae, rmse].map((error) => formatUsd(nearestUsd(error)));
  return `R2 ${share}, MAE ${mean}, RMSE ${square} a day (${formatCount(forecasts)} back-tests)`;
}

const predictionsOf = (rows: readonly Row[]) =>
  rows.map(({ days, lastDay, stored, expected, intervals }) => ({
    days,
    lastDay,
    storedUsd: nearestUsd(stored),
    expectedUsd: nearestUsd(expected),
    intervals: intervals.map(({ level, low, high }) => ({
      level,
      lowUsd: nearestUsd(low),
      highUsd: nearestUsd(high),
    })),
  }));

const forecastDocument = ({ accuracy, parameters, addedParameters }: Forecast) => ({
  accuracy:
    accuracy === null
      ? null
      : {
          r2: accuracy.r2,
          maeUsd: nearestUsd(accuracy.mae),
          rmseUsd: nearestUsd(accuracy.rmse),
          forecasts: accuracy.forecasts,
        },
  fitted: parameters,
  fittedAdded: addedParameters,
});
