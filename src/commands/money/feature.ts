// Money: what runs have cost, what may be spent, forecasts, and savings for stored objects.
import type { Feature } from '../../cli/feature.js';
import { askedBudgetsFlag } from '../kit/budget-flags.js';
import { budgetGate, plannedBudgets } from './budget-gate.js';
import { plannedRetrieval, retrievalGate } from './retrieval-gate.js';
import { ledgerStoreSetting } from './shared-ledger.js';

const LIMITS = 'limits for what projects may cost and store';

export const money: Feature = {
  name: 'money',
  groups: [
    { path: 'cost', summary: 'what storage, requests and retrieval cost' },
    { path: 'budget', summary: LIMITS },
    { path: 'cost budget', summary: LIMITS },
  ],
  globals: {
    sections: { costControl: { settings: ledgerStoreSetting, flags: ['uploadHistory', 'budgetStore'] } },
    recorded: askedBudgetsFlag,
  },
  async meter(account, context) {
    const { openMeter } = await import('./open-meter.js');
    openMeter(account, context);
  },
  views: ['costs', 'analyze'],
  uploadGate: budgetGate,
  dryRunGate: plannedBudgets,
  retrievalGate: retrievalGate,
  dryRunRetrievalGate: plannedRetrieval,
};
