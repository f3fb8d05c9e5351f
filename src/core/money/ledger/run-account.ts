// What is told of one run while it goes on, for the record that is made when it has ended. Types alone.
import type { LedgerRecord } from './record.js';
import type { RunMeter } from './run-meter.js';
import type { RunningCost } from './running.js';
import type { UploadHistoryRecord } from './upload-history.js';

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

/** Where the budgets of the run are, and how that is reached. */
export interface BudgetPlace {
  /** `local`, or a URL. */
  readonly place: string;
  readonly profile?: string | undefined;
  readonly endpointUrl?: string | undefined;
  readonly caBundle?: string | undefined;
}

/** Of an upload whose history is kept. */
export interface RunHistory {
  readonly path: string;
  /** What the record of the run does not say. */
  readonly shape: Omit<UploadHistoryRecord, 'time' | 'operation' | 'costMicros' | 'monthlyMicros'>;
}

export interface RunAccount {
  /** Others are not metered. */
  readonly isRecorded: boolean;
  /** A run that tells nothing makes no record. */
  about?: RunAbout;
  history?: RunHistory;
  /** Told why there is no record; a warning where nobody else says it. */
  onTrouble?: (text: string) => void;
  /** Both there once a store was opened. */
  meter?: RunMeter;
  running?: RunningCost;
  budget: BudgetPlace;
}
