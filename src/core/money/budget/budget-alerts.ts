// Makes the alerts that budgets call for. The caller leaves out those that were sent within the cooldown.
import {
  type Alert,
  type AlertType,
  newAlert,
  type Severity,
  subjectOf,
  type UsageState,
} from '../../notify/alerts/alert.js';
import { amountText } from '../../notify/alerts/amounts.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { type BudgetBook, budgetsFor } from './budget.js';
import { statusOf } from './status.js';

type Kind = 'cost' | 'volume';
interface Due {
  readonly severity: Severity;
  readonly types: Readonly<Record<Kind, AlertType>>;
}

const DUE: Readonly<Partial<Record<UsageState, Due>>> = {
  projected: { severity: 'info', types: { cost: 'budget_projection', volume: 'volume_projection' } },
  warning: { severity: 'warning', types: { cost: 'cost_threshold', volume: 'volume_threshold' } },
  critical: { severity: 'critical', types: { cost: 'cost_over_budget', volume: 'volume_over_quota' } },
};

/** Returns the alerts for a project; those of its own budget come first. A budget has one projection at most, of cost before volume. */
export const budgetAlerts = (book: BudgetBook, project: string | null, now: Date): readonly Alert[] =>
  budgetsFor(book, project).flatMap(([project, budget]) => {
    const { isGlobal, costUsage, volumeUsage, projectedFor } = statusOf(project, budget, now);
    return (['cost', 'volume'] as const).flatMap((kind) => {
      const usage = { cost: costUsage, volume: volumeUsage }[kind];
      const due = DUE[usage.alertState];
      const isSecond = kind === 'volume' && costUsage.alertState === 'projected';
      if (due === undefined || (isSecond && usage.alertState === 'projected')) return [];
      const { severity, types } = due;
      const text = (amount: number): string => amountText(kind, amount);
      const subject = subjectOf({ project, isGlobal, writerId: null });
      const uses = `${subject} has used ${usage.usedPercent}% of the ${kind} budget: ${text(usage.used)} of ${text(usage.limit)}`;
      const projection =
        usage.projected === null || usage.alertState === 'critical'
          ? ''
          : `, and at this rate ${text(usage.projected)} by ${projectedFor.slice(0, 10)}`;
      const set = project === null ? '--global' : shellWord(project);
      const recommendation =
        severity === 'critical'
          ? `uploads are refused until the limit is raised (archiver budget set ${set} --${kind} …) or --ignore-budget is given`
          : `see how it stands: archiver budget status ${set}`;
      const about = { type: types[kind], severity, project, isGlobal, costUsage, volumeUsage };
      return [newAlert({ ...about, description: `${uses}${projection}`, recommendation }, now)];
    });
  });
