// Flags for checking who has access to a bucket.
import { flag, ofFeature } from '../../cli/flag.js';

/** Flags of uploads that check access first. The levels are those of core/access/finding.ts. */
export const accessGateFlags = ofFeature('access', {
  checkAccess: flag.on({
    only: 's3',
    describe: 'report first who may get at the bucket; see `archiver access-check`',
  }),
  failOn: flag.choice(['none', 'unknown', 'warn', 'critical'], {
    default: 'none',
    describe: 'send nothing if access is at least as bad; unknown, for what could not be looked at, is less than warn',
  }),
});
