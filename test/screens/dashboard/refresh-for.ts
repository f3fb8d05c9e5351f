import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillHome } from '../../support/dashboard-home.js';
import { type Drawn, runBundled } from '../../ui/heap/draw-frames.js';

export interface Refreshed extends Drawn {
  /** When the ledger was read last, by the clock of the script, which begins on 2025-11-14. */
  readonly readAt: string;
}

/** Refreshes a dashboard so often, after 500 times that are not measured. */
export async function refreshFor(times: number): Promise<Refreshed> {
  const home = await mkdtemp(join(tmpdir(), 'archiver-day-'));
  await fillHome(home, new Date('2025-11-14T00:00:00Z'), { days: 14, budgets: 3, uploads: 3 });
  return await runBundled<Refreshed>(join(import.meta.dirname, 'day.tsx'), [home, String(times)]);
}
