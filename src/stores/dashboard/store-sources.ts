// The sources of the store that the dashboard shows: every read takes requests.
import type { FleetStatus } from '../../core/fleet/watch/watch-fleet.js';
import type { SeenPlans } from '../../core/archive/parts/living-plans.js';
import type { Inventory } from '../../core/dataset/inventory/inventory.js';
import type { Analysis } from './analysis.js';
import type { Source } from './source.js';

export interface FleetRead {
  /** Null when no writer has a place. */
  readonly status: FleetStatus | null;
}

export interface PlansRead extends SeenPlans {
  /** Requests that the look has taken. */
  readonly requests: number;
}

export interface StoreSources {
  readonly inventory: Source<Inventory>;
  readonly fleet: Source<FleetRead>;
  /** Plans that are no versions yet. */
  readonly plans: Source<PlansRead>;
  /** Its `refresh` is a scan, which the user starts; `stop` cancels it. */
  readonly analysis: Source<Analysis>;
  /** Makes the next look at the inventory read again what could not be read. */
  readonly retryInventory: () => void;
}
