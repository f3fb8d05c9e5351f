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
  'With --also the version is made in further stores, too: what is sent goes to each while it is in memory, and once the version is committed, ' +
  'each gets what it lacks as by `archiver copy`. Where one fails, status 3 names what catches up; where the first one fails, the next takes ' +
  'its place (docs/moving.md).';
