// What uploads take for the ledger.
import { flag, ofFeature } from '../../cli/flag.js';

/** Where the history of uploads is kept. */
export const uploadHistoryFlag = ofFeature('money', {
  uploadHistory: flag.text({
    placeholder: 'FILE|1',
    sample: '1',
    describe:
      'keep a history of uploads (sizes, settings, times and costs; no names) in this file; 1: ~/.archiver/upload-history.jsonl, 0: none',
  }),
});

/** Of commands that upload folders. */
export const ledgerFlags = {
  project: flag.text({
    placeholder: 'ID',
    describe: 'project that the cost is recorded for (by default the upload id); it is also in the manifest',
  }),
  ...uploadHistoryFlag,
};

/** Of others that upload. */
export const projectFlag = { project: ledgerFlags.project };
