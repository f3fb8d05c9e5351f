// `--also`: the version is made in further stores, too.
import { flag } from '../../../cli/flag.js';

export const alsoFlag = {
  also: {
    ...flag.repeat({
      placeholder: 'NAME|URL',
      describe: 'make the version in this store as well; what is sent is read once; repeatable',
      sample: 'file:///mnt/nas',
    }),
    namesStores: true,
  },
};

/** What --also does, for descriptions. */
export const ALSO =
  'With --also the version is made in further stores as well: what is sent goes to each of them while it is in memory, and when the version is ' +
  'committed, each gets what it lacks of it as by `archiver copy`, and commits it by itself. Where one fails, the others stand, and status 3 ' +
  'names what catches up; where the first one fails, the version is made in the next (docs/moving.md).';
