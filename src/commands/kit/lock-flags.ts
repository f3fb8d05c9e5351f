// Flags about Object Lock for uploads.
import { flag } from '../../cli/flag.js';
import { requires } from '../../cli/rule.js';

/** Keeps what an upload stores from being deleted for some time. */
export const lockFlags = {
  objectLock: flag.choice(['governance', 'compliance'], {
    describe: 'lock what is stored (S3 Object Lock); who has the permission lifts governance, nobody compliance',
  }),
  retain: flag.duration({ describe: 'how long --object-lock holds: 90d, from the beginning of the upload on' }),
};

const DAY_MS = 86_400_000;
/** The longest retention that S3 accepts. */
const MAX_RETAIN_MS = 36_500 * DAY_MS;

/** Rules for `lockFlags`. */
export const lockRules = [
  requires('objectLock', 'retain'),
  requires('retain', 'objectLock'),
  {
    kind: 'check',
    text: '--retain is from 1d to 36500d',
    ok: ({ retain }: { readonly retain: number | undefined }) =>
      retain === undefined || (retain >= DAY_MS && retain <= MAX_RETAIN_MS),
  },
] as const;
