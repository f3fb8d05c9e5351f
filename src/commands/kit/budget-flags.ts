// Flags about budgets: of commands that work on budgets, and of those that must keep to them.
import { type Flag, flag, ofFeature } from '../../cli/flag.js';

const budgetStore: Flag<string> = {
  ...flag.text({
    placeholder: 'local|URL',
    default: 'local',
    describe: 'where budgets are kept: on this computer, or at s3://bucket/prefix for all machines of a group',
  }),
  mayBeStore: true,
};

/** Flag of commands that read or change budgets: it names the place that they work on. */
export const budgetStoreFlag = { budgetStore: { ...budgetStore, isPlace: true } };

/** Place of the budgets that a run must keep to: a setting of every command that is recorded. */
export const askedBudgetsFlag = ofFeature('money', { budgetStore });

/** Continues in spite of budgets. */
export const ignoreBudgetFlag = ofFeature('money', {
  ignoreBudget: flag.on({ describe: 'go on above a budget, or where no cost is known' }),
});

/** Budget flags of commands that upload. */
export const budgetGateFlags = { ...askedBudgetsFlag, ...ignoreBudgetFlag };
