import type { Operation } from '../../core/events.js';

export interface OperationWords {
  readonly doing: string;
  readonly done: string;
  readonly noun: string;
  /** What moves at `bytesPerSecond` and at `storedBytesPerSecond`. */
  readonly rawVerb: string;
  readonly storedVerb: string;
  /** What Ctrl+C does in this version, long and short; every word of it has to be true. */
  readonly interrupt: readonly [long: string, short: string];
}

/** The words each operation is described with. */
export const OPERATION_WORDS: Record<Operation, OperationWords> = {
  upload: {
    doing: 'Uploading',
    done: 'Uploaded',
    noun: 'Upload',
    rawVerb: 'read',
    storedVerb: 'sent',
    interrupt: [
      'ctrl+c stops after the chunks in flight; committed uploads are untouched',
      'ctrl+c stops; committed uploads are untouched',
    ],
  },
  restore: {
    doing: 'Restoring',
    done: 'Restored',
    noun: 'Restore',
    rawVerb: 'written',
    storedVerb: 'fetched',
    interrupt: ['ctrl+c stops here; files that are already restored stay', 'ctrl+c stops; restored files stay'],
  },
  download: {
    doing: 'Downloading',
    done: 'Downloaded',
    noun: 'Download',
    rawVerb: 'written',
    storedVerb: 'fetched',
    interrupt: ['ctrl+c stops here; files that are already downloaded stay', 'ctrl+c stops; downloaded files stay'],
  },
  verify: {
    doing: 'Verifying',
    done: 'Verified',
    noun: 'Verify',
    rawVerb: 'checked',
    storedVerb: 'fetched',
    interrupt: ['ctrl+c stops here; verify changes nothing', 'ctrl+c stops; verify changes nothing'],
  },
};
