// Flags of `analyze` for a folder of this computer, and which of its flags are for a store only.
import { flag } from '../../../cli/flag.js';
import { dashed, joinWords } from '../../../cli/rule.js';
import type { Origins } from '../../../cli/context.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { AGE_SOURCES } from '../../../core/money/analyze/folder/file-rows.js';
import { STORAGE_CLASSES } from '../../../core/store/providers/storage-classes.js';
import { filterFlags } from '../../kit/flags.js';

// A list of paths would stand in the place of the one that the upload line has.
const { failFast: _failFast, filesFrom: _filesFrom, filesFromRaw: _filesFromRaw, ...whichFiles } = filterFlags;

export const FILTER_KEYS = Object.keys(whichFiles);

const YEAR = '1y';

export const folderFlags = {
  olderThan: flag.age({ default: YEAR, describe: 'of a folder: files of this age and more are old' }),
  ageBy: flag.choice(AGE_SOURCES, {
    default: 'mtime',
    describe:
      'of a folder: age since the last change, or (atime) since the last change or reading, where the mount keeps that',
  }),
  top: flag.int([1, 10_000], { default: 10, describe: 'of a folder: the hottest folders that are listed' }),
  diskPrice: flag.usd({
    describe: 'of a folder: what 10^12 bytes cost a month where they are now; then savings are shown',
  }),
  storageClass: flag.choice(STORAGE_CLASSES, {
    describe: 'of a folder: class in the upload line; when not given, the one that costs the least a month',
  }),
  uploadTo: flag.text({
    placeholder: 'STORE',
    sample: 's3://acme-archive/lab',
    describe: 'of a folder: the store in the upload line, by its URL, path or name',
  }),
  once: flag.on({ describe: 'of a folder: print on a terminal, too, instead of opening a screen' }),
  ...whichFiles,
};

/** Flags that say something of a store only. */
export const STORE_KEYS = [
  'inventory',
  'engine',
  'athenaDatabase',
  'athenaTable',
  'athenaWorkgroup',
  'athenaOutputLocation',
  'athenaMaxScan',
  'sampling',
  'sampleSize',
  'showSavings',
];

/** Refuses flags that were typed and can do nothing. @throws usage */
export function refuseTyped(keys: readonly string[], { origins }: Origins, why: string, hint: string): void {
  const typed = keys.filter((key) => origins[key] === 'flag');
  if (typed.length > 0) throw usageError(`${joinWords(typed.map(dashed), 'and')} can do nothing for ${why}`, hint);
}
