// What is shown of the store that the dashboard looks at: every read is made of requests.
import type { FleetStatus } from '../../core/fleet/watch/watch-fleet.js';
import type { Inventory } from '../../core/dataset/inventory/inventory.js';
import type { Analysis } from './analysis.js';
import type { Source } from './source.js';

export interface FleetRead {
  /** Null where no writer has a place. */
  readonly status: FleetStatus | null;
}

export interface StoreSources {
  readonly inventory: Source<Inventory>;
  readonly fleet: Source<FleetRead>;
  /** Its `refresh` is a scan, which a person begins; `stop` gives it up. */
  readonly analysis: Source<Analysis>;
  /** The next look at the inventory reads again what could not be read. */
  readonly retryInventory: () => void;
}
