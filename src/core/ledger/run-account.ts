// What is told of one run while it goes on, for the record that is made when it has ended. Types alone.
import type { LedgerRecord } from './record.js';
import type { RunMeter } from './run-meter.js';

/** What a command tells. */
export interface RunAbout {
  readonly operation: LedgerRecord['operation'];
  /** As --project says. */
  readonly project?: string | undefined;
  readonly datasetId?: string | undefined;
  readonly uploadId?: string | undefined;
  readonly writerId?: string | undefined;
  readonly gitCommit?: string | undefined;
  readonly dvcStage?: string | undefined;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
}

export interface RunAccount {
  /** A run that tells nothing makes no record. */
  about?: RunAbout;
  /** There once a store was opened. */
  meter?: RunMeter;
}
