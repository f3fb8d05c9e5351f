// The flags of `archiver browse`, for its declaration and for what runs it.
import { flag, type Values } from '../../cli/flag.js';
import { coldFlags, uploadTargetFlags } from '../kit/flags.js';

export const flags = {
  ...uploadTargetFlags('us-east-1'),
  ...coldFlags,
  cacheGb: flag.int([0, 1_000_000], { default: 10, describe: 'size of the cache of fetched data; 0 means 10' }),
};

/** What the flags become. */
export type BrowseValues = Values<typeof flags>;
