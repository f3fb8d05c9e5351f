// The settings that setup asks about, each with its choices and reasons. Undefined stands for the default without a setting.
import type { SettingValue } from '../../core/config/change-config.js';
import { factsOf } from '../../core/store/providers/provider-table.js';
import type { Place } from './places.js';

export interface Choice {
  readonly value: SettingValue | undefined;
  readonly label: string;
  readonly why: string;
}

export interface Parameter {
  /** Key in the config file. */
  readonly key: string;
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly chosen: number;
}

type Asked = Omit<Parameter, 'chosen'> & { readonly isOfBuckets?: true };

const choice = (value: SettingValue | undefined, label: string, why: string): Choice => ({ value, label, why });

const ASKED: readonly Asked[] = [
  {
    key: 'storage.storageClass',
    title: 'storage class',
    isOfBuckets: true,
    choices: [
      choice(undefined, 'STANDARD', 'read at once, deleted at any time: for what is read or changes often'),
      choice('INTELLIGENT_TIERING', 'INTELLIGENT_TIERING', 'moves by itself to what is cheaper; a fee for each object'),
      choice('STANDARD_IA', 'STANDARD_IA', 'about half of STANDARD a month; 30 days at least, and reading costs'),
      choice('ONEZONE_IA', 'ONEZONE_IA', 'as STANDARD_IA in one zone: gone when the zone is'),
      choice('GLACIER_IR', 'GLACIER_IR', 'read at once, rarely; 90 days at least, and reading costs more'),
      choice('GLACIER', 'GLACIER', 'hours before it can be read; 90 days at least'),
      choice('DEEP_ARCHIVE', 'DEEP_ARCHIVE', 'the cheapest; half a day before it can be read, 180 days at least'),
    ],
  },
  {
    key: 'upload.shardCount',
    title: 'shards',
    choices: [
      choice(undefined, 'automatic', 'by the amount of data: key prefixes that requests are spread over'),
      choice(4, '4', 'enough below 1 GiB'),
      choice(8, '8', 'enough below 64 GiB'),
      choice(16, '16', 'enough below 1 TiB'),
      choice(32, '32', 'for more than that, or more than 3500 requests a second'),
    ],
  },
  {
    key: 'defaults.compressionLevel',
    title: 'compression',
    choices: [
      choice(
        undefined,
        'by content',
        '9 for text, 3 for other data, 1 for what hardly shrinks: archiver benchmark shows it',
      ),
      choice(1, 'zstd 1', 'the fastest, for a network that is faster than this computer'),
      choice(3, 'zstd 3', 'fast, whatever the content'),
      choice(9, 'zstd 9', 'smaller, at about a third of the speed'),
      choice(19, 'zstd 19', 'the smallest, and far slower: for what is kept for years'),
    ],
  },
  {
    key: 'defaults.enableDedup',
    title: 'equal files',
    choices: [
      choice(undefined, 'stored each', 'nothing is read twice'),
      choice(true, 'stored once', 'files are hashed first; a moved file is not sent again'),
    ],
  },
];

/** The storage classes that a place is known to have; none when there is no choice. */
function offered(place: Place, { isOfBuckets, choices }: Asked): readonly Choice[] {
  if (isOfBuckets !== true) return choices;
  const classes: readonly string[] | null = place === 'folder' ? [] : factsOf(place).classes;
  const own = choices.filter(({ label }) => classes === null || classes.includes(label));
  return own.length > 1 ? own : [];
}

/** The questions for a store of this place, with the current settings chosen. */
export function parametersOf(place: Place, settings: ReadonlyMap<string, string>): readonly Parameter[] {
  const asked = ASKED.map((one) => ({ ...one, choices: offered(place, one) }));
  return asked
    .filter(({ choices }) => choices.length > 0)
    .map(({ key, title, choices }) => {
      const now = settings.get(key);
      const found = choices.findIndex(({ value, label }) => (value === undefined ? label : String(value)) === now);
      if (now === undefined || found >= 0) return { key, title, choices, chosen: Math.max(0, found) };
      const kept = choice(/^\d+$/.test(now) ? Number(now) : now, now, 'as it is');
      return {
        key,
        title,
        choices: now === 'false' ? choices : [...choices, kept],
        chosen: now === 'false' ? 0 : choices.length,
      };
    });
}

export const chosenOf = ({ choices, chosen }: Parameter): Choice | undefined => choices[chosen];

/** The questions with the earlier choices, if they are still offered. */
export const withChoices = (asked: readonly Parameter[], made: readonly Parameter[]): readonly Parameter[] =>
  asked.map((one) => {
    const before = made.find(({ key }) => key === one.key);
    const again = one.choices.findIndex(({ label }) => before !== undefined && label === chosenOf(before)?.label);
    return again < 0 ? one : { ...one, chosen: again };
  });
