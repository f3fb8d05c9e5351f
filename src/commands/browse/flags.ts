// The flags of `archiver browse`, for its declaration and for the code that runs it.
import type { Values } from '../../cli/flag.js';
import { budgetGateFlags } from '../kit/budget-flags.js';
import { cacheFlag, coldFlags, uploadTargetFlags } from '../kit/flags.js';

export const flags = {
  ...uploadTargetFlags('us-east-1'),
  ...coldFlags,
  ...cacheFlag(),
  ...budgetGateFlags,
};

/** Values of the flags of `browse`. */
export type BrowseValues = Values<typeof flags>;
