// The address of a running archiver; the default is where --pprof listens.
import { flag } from '../../../cli/flag.js';

export const DEFAULT_ADDRESS = 'localhost:6060';

export const runningFlag = {
  pprofAddr: flag.text({
    placeholder: 'HOST:PORT',
    sample: DEFAULT_ADDRESS,
    describe: `where a running archiver serves profiles (--pprof)`,
  }),
};
