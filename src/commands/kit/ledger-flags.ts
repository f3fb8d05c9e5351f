// Flags of uploads about the ledger.
import { flag, ofFeature } from '../../cli/flag.js';

/** File that keeps the history of uploads. */
export const uploadHistoryFlag = ofFeature('money', {
  uploadHistory: flag.text({
    placeholder: 'FILE|1',
    sample: '1',
    describe:
      'keep a history of uploads (sizes, settings, times and costs; no names) in this file; 1: ~/.archiver/upload-history.jsonl, 0: none',
  }),
});

/** For commands that upload folders. */
export const ledgerFlags = {
  project: flag.text({
    placeholder: 'ID',
    describe: 'project that the cost is recorded for (by default the upload id); it is also in the manifest',
  }),
  ...uploadHistoryFlag,
};

/** For other commands that upload. */
export const projectFlag = { project: ledgerFlags.project };
