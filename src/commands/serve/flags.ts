// Flags of commands that serve a store.
import type { Values } from '../../cli/flag.js';
import { budgetGateFlags } from '../kit/budget-flags.js';
import { cacheFlag, limitFlags, storeFlags, writerFlag } from '../kit/flags.js';

export const readingFlags = {
  ...writerFlag,
  ...storeFlags('us-east-1'),
  ...cacheFlag(),
  limitDownload: limitFlags.limitDownload,
  ...budgetGateFlags,
};

/** Values of `readingFlags`. */
export type ReadingValues = Values<typeof readingFlags>;

/** What both commands say of the folders. */
export const FOLDERS =
  'The folders are by-dataset/ID/latest, …/v0001 and …/TAG, and by-date/2026-11-20/ID-v1. New versions appear within ten seconds. Content is ' +
  'fetched as it is read, only the parts that are asked for, and kept in the cache; what lies in cold storage is refused with its price ' +
  'and the command that requests it.';
