// Parses which budget a command is about, and formats one.
import { arg } from '../../../cli/arg.js';
import { flag } from '../../../cli/flag.js';
import { amountText } from '../../../core/notify/alerts/amounts.js';
import type { BudgetStatus } from '../../../core/money/budget/status.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import type { Usage } from '../../../core/notify/alerts/alert.js';
import { formatQuantity } from '../../../ui/format.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { fact, minuteText } from '../../kit/lines.js';

export const projectArg = arg.text('PROJECT', {
  describe: 'the project, as --project of uploads names it; not with --global',
  optional: true,
});

export const globalFlag = { global: flag.on({ describe: 'the budget of all projects together' }) };

const MAX_NAME = 256;

/** Returns the project, or null for all of them. @throws usage unless exactly one of both is named */
export function projectOf(name: string | undefined, isGlobal: boolean): string | null {
  if (isGlobal && name !== undefined) throw usageError('give a project or --global, not both');
  if (isGlobal) return null;
  if (name === undefined) throw usageError('name a project, or --global for the budget of all projects');
  if (name.trim() === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    throw usageError(`'${printable(name.slice(0, MAX_NAME))}' cannot be the name of a project`);
  return name;
}

/** `project genomes` or `all projects`. */
export const nameOf = (project: string | null): string =>
  project === null ? 'all projects' : `project ${printable(project)}`;

/** Formats a budget as lines: a headline and its facts. */
export function statusLines(status: BudgetStatus): readonly string[] {
  const { project, budgetPeriod, periodStart, periodEnd, projectedFor, costUsage, volumeUsage, unpricedRuns } = status;
  const since = minuteText(periodStart);
  return [
    `budget of ${nameOf(project)}, ${budgetPeriod === 'total' ? 'in total' : 'by the month (UTC)'}`,
    fact('counted', periodEnd === null ? `since ${since}` : `from ${since} to ${minuteText(periodEnd)}`),
    ...usageLines('cost', costUsage, projectedFor),
    ...usageLines('volume', volumeUsage, projectedFor),
    ...reservedLines(status),
    ...(unpricedRuns === 0 ? [] : [fact('unknown', `the cost of ${unpricedRuns} runs, which is not counted`)]),
  ];
}

function reservedLines({ reservedRuns, reservedUsd, reservedBytes, baseUntil }: BudgetStatus): readonly string[] {
  const amounts = `${amountText('cost', reservedUsd)} and ${amountText('volume', reservedBytes)}`;
  const runs = formatQuantity(reservedRuns, 'run');
  return [
    ...(reservedRuns === 0 ? [] : [fact('reserved', `${amounts}, by ${runs} under way`)]),
    ...(baseUntil === null
      ? []
      : [fact('before', `until ${baseUntil} a month of storage for each run, as an older archiver counted`)]),
  ];
}

function usageLines(kind: 'cost' | 'volume', usage: Usage, projectedFor: string): readonly string[] {
  const { limit, used, remaining, usedPercent, alertPercent, perDay, projected, exhaustedAt, alertState } = usage;
  const text = (amount: number): string => amountText(kind, amount);
  if (alertState === 'unlimited') return [fact(kind, `${text(used)}, no limit; ${text(perDay)} a day`)];
  const left = (remaining ?? 0) < 0 ? `${text(-(remaining ?? 0))} over` : `${text(remaining ?? 0)} left`;
  const ends = exhaustedAt === null ? '' : `; used up ${minuteText(exhaustedAt)}`;
  const end = projected === null ? '' : `; ${text(projected)} by ${projectedFor.slice(0, 10)}`;
  return [
    fact(kind, `${text(used)} of ${text(limit)} (${usedPercent}%), ${left}`),
    fact('', `${text(perDay)} a day${end}${ends}`),
    fact('', `${STATES[alertState]} (alert at ${alertPercent}%)`),
  ];
}

const STATES: Readonly<Record<Usage['alertState'], string>> = {
  unlimited: '',
  ok: '● ok',
  projected: '▲ will exceed the limit at this rate',
  warning: '▲ above the alert threshold',
  critical: '✗ used up',
};

/** Formats a usage for tables: `$8.00 of $10.00 (80%)`. */
export function usageCell(kind: 'cost' | 'volume', { limit, used, usedPercent }: Usage): string {
  const text = (amount: number): string => amountText(kind, amount);
  return limit === 0 ? `${text(used)}, no limit` : `${text(used)} of ${text(limit)} (${usedPercent}%)`;
}
