// Where the budgets of a run are: as flags, settings, and the values of an interrupted run say.
import type { SlotValues } from '../../cli/slots.js';

/** A place of budgets, and how it is reached. */
export interface BudgetPlace {
  /** `local`, or a URL. */
  readonly place: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly caBundle: string | undefined;
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Budgets are reached as the store of the run is. */
export const budgetPlaceOf = ({ budgetStore, profile, endpointUrl, caBundle }: SlotValues): BudgetPlace => ({
  place: textOf(budgetStore) ?? 'local',
  profile: textOf(profile),
  endpointUrl: textOf(endpointUrl),
  caBundle: textOf(caBundle),
});
