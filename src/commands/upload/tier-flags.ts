// `upload --auto-tier`: chooses storage classes by when files were last read.
import { flag, type Values } from '../../cli/flag.js';
import { conflicts, requires } from '../../cli/rule.js';
import type { TierPolicy } from '../../core/archive/run/tier.js';

export const tierFlags = {
  autoTier: flag.on({ describe: 'choose the class by when files were last read' }),
  tierHotDays: flag.int([0, 36500], {
    default: 30,
    describe: 'read within this many days: STANDARD; older: STANDARD_IA',
  }),
  tierColdDays: flag.int([0, 36500], { default: 90, describe: 'not read for this many days: GLACIER' }),
  tierArchiveDays: flag.int([0, 36500], { default: 180, describe: 'not read for this many days: DEEP_ARCHIVE' }),
  tierMax: flag.choice(['STANDARD', 'STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE'], {
    describe: 'coldest class that --auto-tier may choose',
  }),
  tierStrategy: flag.choice(['youngest-file', 'tier-aware'], {
    default: 'youngest-file',
    describe: 'class of a chunk: that of its most recently read file, or files of different classes are kept apart',
  }),
};

type TierValues = Values<typeof tierFlags>;

/** Rules for `tierFlags`. */
export const tierRules = [
  ...(['tierHotDays', 'tierColdDays', 'tierArchiveDays', 'tierMax', 'tierStrategy'] as const).map((key) =>
    requires(key, 'autoTier'),
  ),
  conflicts('autoTier', ['storageClass']),
  {
    kind: 'check',
    text: '--tier-hot-days, --tier-cold-days and --tier-archive-days must not decrease',
    ok: (v: Readonly<Record<'tierHotDays' | 'tierColdDays' | 'tierArchiveDays', number>>) =>
      v.tierHotDays <= v.tierColdDays && v.tierColdDays <= v.tierArchiveDays,
  },
] as const;

/** Returns the policy, or undefined when all files get the same class. */
export function tierPolicy(values: TierValues, now: Date): TierPolicy | undefined {
  if (!values.autoTier) return undefined;
  return {
    strategy: values.tierStrategy,
    hotDays: values.tierHotDays,
    coldDays: values.tierColdDays,
    archiveDays: values.tierArchiveDays,
    max: values.tierMax,
    nowSeconds: now.getTime() / 1000,
  };
}
