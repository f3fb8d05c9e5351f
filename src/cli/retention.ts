// The section of the config file that says which versions are kept.

/** Its name. */
export const RETENTION = 'retention';

/** Its keys, which are flags of `dataset prune`. */
export const KEEP_KEYS = [
  'keepLast',
  'keepWithin',
  'keepHourly',
  'keepDaily',
  'keepWeekly',
  'keepMonthly',
  'keepYearly',
] as const;
