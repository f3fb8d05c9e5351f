import { defineCommand } from '../../../cli/command.js';
import type { Clock, Results } from '../../../cli/context.js';
import { flag, type Values } from '../../../cli/flag.js';
import type { Limits, RunUse } from '../../../core/money/budget/budget.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { budgetFlags, withBudgetBook } from '../budget-book.js';
import { isGiven } from '../../kit/run.js';
import type { StoreContext } from '../../kit/store.js';
import { fitLines, type TableContext } from '../../kit/table.js';
import { globalFlag, projectArg, projectOf, statusLines } from './budget-target.js';
import type { ReadingContext } from '../read-records.js';
import { exclusiveFlag } from '../../kit/guard-flags.js';

/** Limits of a billion dollars and 9 PB: larger amounts were mistyped, or cannot be counted to the byte. */
const [MAX_COST_USD, MAX_VOLUME_GB] = [1e9, 9e6];

const flags = {
  cost: flag.float([0, MAX_COST_USD], {
    placeholder: 'USD',
    describe: 'limit of the cost: what is charged once, and each day what is stored; 0: unlimited',
  }),
  volume: flag.float([0, MAX_VOLUME_GB], {
    placeholder: 'GB',
    describe: 'limit of the bytes that are stored, in GB of 10^9 bytes; 0: unlimited',
  }),
  costAlert: flag.float([0, 1], { default: 0.8, describe: 'alert from this share of the cost on' }),
  volumeAlert: flag.float([0, 1], { default: 0.75, describe: 'alert from this share of the volume on' }),
  period: flag.choice(['total', 'month'], {
    default: 'total',
    describe: 'limits are for everything, or for each month (UTC)',
  }),
  ...globalFlag,
  ...budgetFlags,
  ...exclusiveFlag,
};

/** Declares `budget set`, which can also be called as `cost budget set`. */
export const budgetSet = (path: 'budget set' | 'cost budget set') =>
  defineCommand({
    path,
    summary: 'set or change the budget of a project or of all of them',
    description:
      'What is not given stays as it was set before; what was used goes on counting. A new budget begins with what the ledger (the shared one, where one is chosen) has of the project: what was charged, and what is stored and goes on costing. A total includes all of it since the first record, a month what is of that month. A project has its own budget and that of all projects: both hold.',
    args: [projectArg],
    flags,
    examples: [
      `archiver ${path} genomes --cost 500 --volume 2000`,
      `archiver ${path} --global --cost 2000 --period month --store s3://lab-archive/budgets`,
    ],
    exits: {
      0: 'set',
      1: 'the budgets cannot be read or written',
      4: 'not set: the store creates no key only once, and --exclusive was not given',
    },
    async run(values, [name], context: Results<'budget set'> & Clock & StoreContext & ReadingContext & TableContext) {
      const project = projectOf(name, values.global);
      const { begunWith, budgetIn, withBudget } = await import('../../../core/money/budget/budget.js');
      const { statusOf } = await import('../../../core/money/budget/status.js');
      const now = context.now();
      const given = givenLimits(values, (key) => isGiven(context, key));
      const { begunAnew } = await import('../../../core/money/budget/settle-corrections.js');
      const { uses, isRecorded } = await usesOfProject(project, context);
      await withBudgetBook(values, context, async ({ change, location }) => {
        const book = await change((before) => {
          const known = budgetIn(before, project);
          if (known === null && given.costMicros === undefined && given.volumeBytes === undefined)
            throw usageError('a new budget needs a limit', 'give --cost USD, --volume GB, or both');
          const begun = known === null ? begunAnew(before, project, isRecorded) : before;
          return withBudget(begun, project, { ...(known ?? begunWith(uses, now)), ...given });
        });
        const budget = budgetIn(book, project);
        if (budget === null) throw usageError('the budget was removed by somebody else meanwhile');
        const status = statusOf(project, budget, now, book.reservations);
        const text = await fitLines(statusLines(status), context);
        context.outcome({ ...status, location }, () => text);
      });
    },
  });

/** Returns what the ledger has of a project, or with null of all projects. @throws access-denied, io */
async function usesOfProject(
  project: string | null,
  context: ReadingContext,
): Promise<{ readonly uses: readonly RunUse[]; readonly isRecorded: (id: string) => boolean }> {
  const { endedRecords } = await import('../read-records.js');
  const { usesOf } = await import('../../../core/money/budget/rebased-use.js');
  const { records } = await endedRecords(context);
  const ids = new Set(records.map(({ id }) => id));
  const uses = usesOf(records).filter((use) => project === null || use.project === project);
  return { uses, isRecorded: (id) => ids.has(id) };
}

/** Returns the limits that are given, in whole micro-dollars and bytes. */
function givenLimits(
  { cost, volume, costAlert, volumeAlert, period }: Values<typeof flags>,
  isKeyGiven: (key: string) => boolean,
): Partial<Limits> {
  return {
    ...(cost === undefined ? {} : { costMicros: inUnits(cost, 1e6) }),
    ...(volume === undefined ? {} : { volumeBytes: inUnits(volume, 1e9) }),
    ...(isKeyGiven('costAlert') ? { costAlert } : {}),
    ...(isKeyGiven('volumeAlert') ? { volumeAlert } : {}),
    ...(isKeyGiven('period') ? { period } : {}),
  };
}

/** Converts to whole units, at least 1 for a limit above zero: 0 would mean no limit at all. */
const inUnits = (limit: number, units: number): number => (limit === 0 ? 0 : Math.max(1, Math.round(limit * units)));
