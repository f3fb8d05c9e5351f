// `upload --direct-upload`: an object for each file.
import { flag, type Values } from '../../cli/flag.js';
import { conflicts, requires } from '../../cli/rule.js';
import type { DirectOptions } from '../../core/archive/run/settings.js';

export const directFlags = {
  directUpload: flag.on({
    describe: 'store small files as they are, one object each; nothing is packed or compressed',
  }),
  directUploadThresholdMb: flag.int([0, 1_000_000_000], {
    default: 500,
    describe: 'larger uploads go into chunks; in MB (10^6 bytes)',
  }),
  directUploadWorkers: flag.int([1, 1024], {
    default: 256,
    describe: 'files sent at once; never more than 64, the most sockets an upload opens',
  }),
  hashedKeys: flag.on({
    describe: 'keys without paths in them; for servers that mistake names such as a+b or a%20b',
  }),
  forceDirectUpload: flag.on({ describe: 'direct upload however large the upload is' }),
};

/** Rules for `directFlags`. */
export const directRules = [
  ...(['directUploadThresholdMb', 'directUploadWorkers', 'hashedKeys', 'forceDirectUpload'] as const).map((key) =>
    requires(key, 'directUpload'),
  ),
  conflicts('directUpload', ['enableDedup']),
] as const;

const MB = 1_000_000;
const MAX_REQUESTS = 64;

/** Returns the options of a direct upload, or undefined when everything is packed. */
export function directOptions(values: Values<typeof directFlags>): DirectOptions | undefined {
  if (!values.directUpload) return undefined;
  return {
    thresholdBytes: values.forceDirectUpload ? undefined : values.directUploadThresholdMb * MB,
    requests: Math.min(values.directUploadWorkers, MAX_REQUESTS),
    hashedKeys: values.hashedKeys,
  };
}
