// Reads the place of a run's budgets from flags, settings, and the values of an interrupted run.
import type { SlotValues } from '../../cli/slots.js';

/** The place of budgets, and how to access it. */
export interface BudgetPlace {
  /** `local`, or a URL. */
  readonly place: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly caBundle: string | undefined;
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Budgets are accessed with the same settings as the store of the run. */
export const budgetPlaceOf = ({ budgetStore, profile, endpointUrl, caBundle }: SlotValues): BudgetPlace => ({
  place: textOf(budgetStore) ?? 'local',
  profile: textOf(profile),
  endpointUrl: textOf(endpointUrl),
  caBundle: textOf(caBundle),
});
