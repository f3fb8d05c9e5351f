import type { Scenario } from '../scenario.js';
import { BUCKET } from './bucket.js';
import { FLEET_AND_MONEY } from './fleet-and-money.js';
import { HISTORY } from './history.js';
import { INTERRUPTED } from './interrupted.js';
import { KINDS } from './kinds.js';
import { RACES } from './races.js';
import { READING } from './reading.js';
import { UPKEEP } from './upkeep.js';

/** The lines of the table. */
export const SCENARIOS: readonly Scenario[] = [
  ...READING,
  ...HISTORY,
  ...KINDS,
  ...INTERRUPTED,
  ...RACES,
  ...UPKEEP,
  ...BUCKET,
  ...FLEET_AND_MONEY,
];
