// The address of a running archiver, where --pprof listens by default.
import { flag } from '../../../cli/flag.js';

export const DEFAULT_ADDRESS = 'localhost:6060';

export const runningFlag = {
  pprofAddr: flag.text({
    placeholder: 'HOST:PORT',
    sample: DEFAULT_ADDRESS,
    describe: `where a running archiver serves profiles (--pprof)`,
  }),
};
