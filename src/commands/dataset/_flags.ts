// Flags that the dataset commands share.
import { flag } from '../../cli/flag.js';

export const writerFlag = {
  writerId: flag.text({
    placeholder: 'ID',
    describe: 'look under writers/ID/; auto is the id that uploads of this machine get',
  }),
};

export const datasetFlag = {
  datasetId: flag.text({ placeholder: 'ID', required: true, describe: 'the dataset, as `dataset list` names it' }),
};
