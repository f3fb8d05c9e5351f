// Flags about budgets, of commands that are asked by them and of those that ask them.
import { flag, ofFeature } from '../../cli/flag.js';

const budgetStore = flag.text({
  placeholder: 'local|URL',
  default: 'local',
  describe: 'where budgets are kept: on this computer, or at s3://bucket/prefix for all machines of a group',
});

/** Of commands that ask or change budgets: it is the place that they work on. */
export const budgetStoreFlag = { budgetStore: { ...budgetStore, isPlace: true } };

/** Where budgets are asked before a command runs: a setting of every command that is recorded. */
export const askedBudgetsFlag = ofFeature('money', { budgetStore });

/** Goes on in spite of budgets. */
export const ignoreBudgetFlag = ofFeature('money', {
  ignoreBudget: flag.on({ describe: 'go on above a budget, or where no cost is known' }),
});

/** What commands take that upload. */
export const budgetGateFlags = { ...askedBudgetsFlag, ...ignoreBudgetFlag };
