import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { Forecast, Prediction } from '../../../core/money/forecast/forecast.js';
import { formatCount } from '../../../ui/format.js';
import { formatUsd, shortUsd } from '../../../ui/format-usd.js';
import { fact, textOf } from '../../kit/lines.js';
import {
  chartFact,
  costsOf,
  daysFact,
  projectArg,
  seriesDocument,
  type SpendSeries,
  spendSeries,
  subjectText,
  tooFewText,
} from '../spend-series.js';
import { ESTIMATED, type LedgerContext, recordedRegionFlag } from '../spent.js';
import { type Column, column, numbers, tableText, type TableContext } from '../../kit/table.js';
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
    { dropOrder: 3 - index },
  );

const COLUMNS: readonly Column<Row>[] = [
  numbers('DAYS', ({ days }) => days),
  column('UNTIL', ({ lastDay }) => lastDay),
  numbers('EXPECTED', ({ expected }) => shortUsd(expected)),
  range(0),
  range(1),
  range(2),
];

export const command = defineCommand({
  path: 'cost forecast',
  summary: 'forecast what the days to come cost',
  description:
    'Goes by what was recorded for each day: requests, retrieval and transfer of that day, and its share of the storage. The ' +
    'sums of the next 7, 14, 30, 60 and 90 days, the first of which is today, each with the ranges that hold in 90%, 95% and 99% of cases if the model is right. Accuracy is ' +
    'that of a back-test: the model is fitted to each beginning of these days, and compared with the week after it. linear: a ' +
    'line; exponential: a level and a trend that follow (Holt); moving_average: as the last week was; ensemble: all three, by ' +
    'how well each did in the back-test.',
  args: [projectArg],
  flags: {
    ...recordedRegionFlag,
    days: flag.int([7, 90], { default: 90, describe: 'days to go by, up to yesterday' }),
    model: flag.choice(['linear', 'exponential', 'moving_average', 'ensemble'], {
      default: 'linear',
      describe: 'how days follow from those before them',
    }),
  },
  examples: ['archiver cost forecast', 'archiver cost forecast genome --model ensemble --json'],
  exits: {
    0: 'forecast',
    1: 'fewer than seven days are known, nothing is recorded for the project, or the ledger cannot be read',
  },
  async run(
    { days, model, inRegion: region },
    [project],
    context: Results<'cost forecast'> & LedgerContext & TableContext,
  ) {
    const { forecast } = await import('../../../core/money/forecast/forecast.js');
    const { plusDays } = await import('../../../core/money/ledger/days.js');
    const series = await spendSeries(context, { project, region, days });
    const result = forecast(costsOf(series), model);
    const document = { kind: result.kind, model, ...seriesDocument(series) };
    if (result.kind === 'too-few-days') {
      const { neededDays } = result;
      context.result({ ...document, neededDays }, () => `${subjectText(series)}: ${tooFewText(result)}\n`);
      return 1;
    }
    const rows = result.predictions.map((prediction) => ({
      ...prediction,
      lastDay: plusDays(series.lastDay, prediction.days),
    }));
    const table = await tableText(rows, COLUMNS, context);
    const lines = await forecastLines(series, result);
    context.result(
      { ...document, ...forecastDocument(result, rows) },
      () => `${textOf(lines)}\n${table}\n${ESTIMATED}\n`,
    );
    return 0;
  },
});

async function forecastLines(series: SpendSeries, result: Forecast): Promise<readonly string[]> {
  const { model, knownDays, path, accuracy } = result;
  const known = costsOf(series).filter((cost) => cost !== null);
  const words = model.replace('_', ' ');
  return [
    `${subjectText(series)}: what the days to come cost (${words}), from ${knownDays} days`,
    daysFact(series),
    await chartFact('chart', [...known, ...path], `${formatCount(known.length)} days and the next ${path.length}`),
    fact('accuracy', accuracyText(accuracy)),
  ];
}

function accuracyText(accuracy: Forecast['accuracy']): string {
  if (accuracy === null) return 'not known: there are too few days to try the model on';
  const { r2, mae, rmse, forecasts } = accuracy;
  const share = r2 === null ? 'not known, as all days were alike' : r2.toFixed(2);
  return `R2 ${share}, MAE ${formatUsd(mae)}, RMSE ${formatUsd(rmse)} a day (back-test of ${formatCount(forecasts)} forecasts)`;
}

function forecastDocument({ accuracy, parameters }: Forecast, rows: readonly Row[]) {
  return {
    predictions: rows.map(({ days, lastDay, expected, intervals }) => ({
      days,
      lastDay,
      expectedUsd: nearestUsd(expected),
      intervals: intervals.map(({ level, low, high }) => ({
        level,
        lowUsd: nearestUsd(low),
        highUsd: nearestUsd(high),
      })),
    })),
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
  };
}
