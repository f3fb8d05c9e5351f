// Which versions a prune keeps: by flags, or else by the policy of the config file (`retention`), which a flag on the command line replaces
// as a whole.
import type { Messages, Origins } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import { atLeastOne, dashed, type FlagRule } from '../../cli/rule.js';
import { KEEP_KEYS, RETENTION } from '../../cli/retention.js';
import type { KeepRules } from '../../core/dataset/prune/keep-rules.js';
import { formatDuration } from '../../ui/format.js';

export const keepFlags = {
  keepLast: flag.int([1], { describe: 'keep the newest N versions; the newest one always stays' }),
  keepWithin: flag.duration({
    describe: 'keep what was made, or stored, at most this long before the newest version: 30d',
  }),
  keepHourly: flag.int([1], { describe: 'keep the newest version of each of the last N hours that have one' }),
  keepDaily: flag.int([1], { describe: 'the same with days' }),
  keepWeekly: flag.int([1], { describe: 'the same with weeks, which begin on Monday' }),
  keepMonthly: flag.int([1], { describe: 'the same with months' }),
  keepYearly: flag.int([1], { describe: 'the same with years' }),
};

type KeepValues = Values<typeof keepFlags>;

const isOfPolicy = (source: string | undefined): boolean => source?.startsWith(`${RETENTION}.`) === true;

/** One of the flags is needed; those of the policy do not count beside others. */
export const keepRule: FlagRule<(typeof KEEP_KEYS)[number]> = {
  ...atLeastOne(...KEEP_KEYS),
  overruled({ given, sources }) {
    const there = KEEP_KEYS.filter(given);
    const ofPolicy = there.filter((key) => isOfPolicy(sources[key]));
    return ofPolicy.length < there.length ? ofPolicy : [];
  },
};

/** What the flags keep; the newest version stays whatever they say. */
export const keepRulesOf = (values: KeepValues): KeepRules => ({
  last: values.keepLast ?? 1,
  withinMs: values.keepWithin,
  hourly: values.keepHourly,
  daily: values.keepDaily,
  weekly: values.keepWeekly,
  monthly: values.keepMonthly,
  yearly: values.keepYearly,
});

/** Says what the config file keeps, which nobody has typed. */
export function notePolicy(values: KeepValues, { origins, note }: Origins & Pick<Messages, 'note'>): void {
  const ofFile = KEEP_KEYS.filter((key) => origins[key] === 'config');
  if (ofFile.length === 0) return;
  const text = (key: (typeof KEEP_KEYS)[number]): string =>
    key === 'keepWithin' ? formatDuration(values.keepWithin ?? 0).replace(/ 0[hm]$/, '') : String(values[key]);
  note(`the config file says what to keep: ${ofFile.map((key) => `${dashed(key)} ${text(key)}`).join(' ')}`);
}
