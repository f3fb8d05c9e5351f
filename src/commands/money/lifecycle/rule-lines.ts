// Lifecycle rules and their changes in words.
import type { LifecycleRule, RuleTransition } from '../../../core/store/bucket-lifecycle.js';
import type { AlteredRule } from '../../../core/money/lifecycle/altered-rules.js';
import type { Danger } from '../../../core/money/lifecycle/endangered.js';
import { type RuleChange, selectionOf } from '../../../core/money/lifecycle/rules.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import type { Savings } from '../../../core/money/lifecycle/savings.js';
import { nearestUsd, roundedUsd } from '../../../core/cost/money.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { shortUsd } from '../../../ui/format-usd.js';
import { fact, firstLines } from '../../kit/lines.js';
import { priceSourceText } from '../../kit/price-lines.js';
import { fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';

const SIGNS = { add: '+', change: '~', remove: '-' } as const;

const whenText = ({ Days, Date: day }: Omit<RuleTransition, 'StorageClass'>): string =>
  Days === undefined ? `on ${day ?? '?'}` : `after ${formatQuantity(Days, 'day')}`;

function actionTexts(rule: LifecycleRule): readonly string[] {
  const { Transitions = [], Expiration: end, NoncurrentVersionTransitions: moves = [] } = rule;
  const { NoncurrentVersionExpiration: old, AbortIncompleteMultipartUpload: abort } = rule;
  const kept = (count: number | undefined): string => (count === undefined ? '' : `, all but the newest ${count}`);
  return [
    ...Transitions.map((move) => `${move.StorageClass} ${whenText(move)}`),
    ...(end === undefined
      ? []
      : [end.ExpiredObjectDeleteMarker === undefined ? `deleted ${whenText(end)}` : 'delete markers']),
    ...moves.map(
      ({ StorageClass, NoncurrentDays: Days, NewerNoncurrentVersions: count }) =>
        `old versions to ${StorageClass} ${whenText({ ...(Days !== undefined && { Days }) })}${kept(count)}`,
    ),
    ...(old === undefined
      ? []
      : [
          `old versions deleted ${whenText({ ...(old.NoncurrentDays !== undefined && { Days: old.NoncurrentDays }) })}${kept(old.NewerNoncurrentVersions)}`,
        ]),
    ...(abort === undefined
      ? []
      : [`unfinished uploads aborted ${whenText({ Days: abort.DaysAfterInitiation ?? 0 })}`]),
  ];
}

/** `uploads/…/shard-*: GLACIER after 30 days, DEEP_ARCHIVE after 180 days`. */
function ruleText(rule: LifecycleRule): string {
  const { prefix, tags, moreThan, lessThan } = selectionOf(rule);
  const conditions = [
    ...tags.map(({ Key, Value }) => `tag ${Key}=${Value}`),
    ...(moreThan === undefined ? [] : [`above ${formatBytes(moreThan)}`]),
    ...(lessThan === undefined ? [] : [`below ${formatBytes(lessThan)}`]),
    ...(rule.Status === 'Enabled' ? [] : ['disabled']),
  ];
  const which = conditions.length === 0 ? '' : ` (${conditions.join(', ')})`;
  return printable(`${prefix}*${which}: ${actionTexts(rule).join(', ') || 'nothing'}`);
}

/** A line for each rule: its id and what it does. */
export const ruleLines = (rules: readonly LifecycleRule[], isVerbose: boolean): readonly string[] =>
  firstLines(
    rules.map((rule) => `  ${printable(rule.ID ?? '')}  ${ruleText(rule)}`),
    { isVerbose, indent: '  ' },
  );

/** The diff: `+` for what is added, `-` for what is removed, both for what is changed. */
export const changeLines = (changes: readonly RuleChange[], isVerbose: boolean): readonly string[] =>
  firstLines(
    changes.flatMap(({ change, before, after }) => [
      `${SIGNS[change]} ${printable(after?.ID ?? before?.ID ?? '')}`,
      ...(before === undefined ? [] : [`    - ${ruleText(before)}`]),
      ...(after === undefined ? [] : [`    + ${ruleText(after)}`]),
    ]),
    { isVerbose, indent: '  ' },
  );

/** The JSON of a change. */
export const changeDocument = ({ change, before, after }: RuleChange) => ({
  ruleId: after?.ID ?? before?.ID ?? '',
  ruleChange: change,
  ...(before && { oldRule: before }),
  ...(after && { newRule: after }),
});

const MOST_ALTERED = 3;

/** Says for each rule how the store keeps it differently from what was sent. */
export function alteredTexts(altered: readonly AlteredRule[], isVerbose: boolean): readonly string[] {
  const shown = isVerbose ? altered : altered.slice(0, MOST_ALTERED);
  const more = altered.length - shown.length;
  const isUnmoved = altered.some(({ sent, kept }) => sent.Transitions !== undefined && kept?.Transitions === undefined);
  return [
    ...shown.map(({ sent, kept }) => {
      const what = kept === undefined ? 'does not keep it' : `keeps it as '${ruleText(kept)}'`;
      return `this store was sent rule '${printable(sent.ID ?? '')}' as '${ruleText(sent)}', and ${what}`;
    }),
    ...(more === 0 ? [] : [`${formatQuantity(more, 'more rule')} it keeps otherwise than it was sent (--verbose)`]),
    ...(isUnmoved ? ['so nothing is moved to other classes there: --remove takes the rules away'] : []),
  ];
}

/** The JSON of a rule that the store keeps differently. */
export const alteredDocument = ({ sent, kept }: AlteredRule) => ({
  ruleId: sent.ID ?? '',
  sentRule: sent,
  ...(kept && { keptRule: kept }),
});

/** Says why a rule is dangerous. */
export const dangerText = ({ rule, harm }: Danger): string =>
  `rule '${printable(rule.ID ?? '')}' (${ruleText(rule)}) ${
    harm === 'deletes'
      ? 'deletes what versions need'
      : 'can move manifests and version records to a class that is not read at once, which makes uploads unreadable'
  }`;

/** The JSON of a template's savings. They can be negative, as the moves of a month can cost more than it saves. */
export const savingsDocument = (savings: Savings) => ({
  ...savings,
  savingUsd: nearestUsd(savings.savingUsd),
  months: savings.months.map(({ month, ...one }) => ({
    monthNumber: month,
    standardUsd: roundedUsd(one.standardUsd),
    templateUsd: roundedUsd(one.templateUsd),
    savingUsd: nearestUsd(one.savingUsd),
  })),
});

/** A table with a row for each month, and the sum. */
export async function savingsText(savings: Savings, context: TableContext): Promise<string> {
  const { bytes, objects, months, minimumDays } = savings;
  type Month = Savings['months'][number];
  const table = await tableText(
    months,
    [
      numbers<Month>('MONTH', ({ month }) => month),
      numbers<Month>('STANDARD', ({ standardUsd }) => shortUsd(standardUsd)),
      numbers<Month>('TEMPLATE', ({ templateUsd }) => shortUsd(templateUsd)),
      numbers<Month>('SAVED', (one) => shortUsd(one.savingUsd)),
    ],
    context,
  );
  const stay = minimumDays
    ? [fact('minimum', `${formatQuantity(minimumDays, 'day')} in the last class are paid for`)]
    : [];
  const about = [
    `${formatBytes(bytes)} in about ${formatQuantity(objects, 'chunk')} that nobody reads: ${shortUsd(savings.savingUsd)} saved in ${formatQuantity(months.length, 'month')}`,
    ...stay,
    fact('prices', priceSourceText(savings)),
  ];
  return `${table}${await fitLines(about, context)}`;
}
