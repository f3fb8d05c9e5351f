// What a command tells the ledger. The record is made when the run has ended, by src/cli/record-run.ts.
import type { Accounted, Clock, Places, Pricing } from '../../cli/context.js';
import { defined } from '../../core/platform/defined.js';
import type { RunAbout } from '../../core/money/ledger/run-account.js';
import type { MeteredObject } from '../../core/store/meter.js';
import type { OpenStoreOptions } from '../../core/store/open-store.js';

/** Counts what the run uses of a store, where that is recorded. @throws usage for a price in the config file that is not one */
export async function meterOf(
  context: Accounted & Clock & Pricing & Pick<Places, 'home'>,
): Promise<OpenStoreOptions['meter']> {
  if (!context.account.isRecorded) return undefined;
  const { openMeter } = await import('./open-meter.js');
  return openMeter(context).open;
}

/** From here on the run is recorded. */
export function tellLedger({ account }: Accounted, about: RunAbout): void {
  if (!account.isRecorded) throw new Error(`a command that records ${about.operation} does not declare isRecorded`);
  account.about = { ...account.about, ...about };
}

/** What came of a run that is recorded. */
export function tellResult(
  { account }: Accounted,
  { uploadId, datasetId, files, bytes }: Pick<RunAbout, 'uploadId' | 'datasetId' | 'files' | 'bytes'>,
): void {
  if (account.about !== undefined)
    account.about = { ...account.about, ...defined({ uploadId, datasetId }), files, bytes };
}

/** Objects that the run may delete or ask back: a store does not say what they were like. */
export function tellObjects({ account }: Accounted, objects: Iterable<MeteredObject>): void {
  account.meter?.know(objects);
}
