// Validates lifecycle rules as S3 does (user guide, "Lifecycle configuration elements" and "Transitioning objects"). Everything is checked
// here, so that a file with mistakes is refused as a whole, with all of them listed, before anything is sent. Names that S3 does not know
// are mistakes, too, because they would be dropped silently.
import type { LifecycleRule, RuleTransition } from '../../store/bucket-lifecycle.js';
import { rankOf, TRANSITION_CLASSES, waitDays } from './classes.js';
import { selectionOf } from './rules.js';

/** Limit of rules per bucket. */
export const MAX_RULES = 1000;
const MAX_ID = 255;
const DAY_MS = 86_400_000;
const MAX_KEPT = 100;

type Shape = { readonly [key: string]: 'text' | 'count' | 'flag' | Shape | readonly [Shape] };

const TAG: Shape = { Key: 'text', Value: 'text' };
const SIZES: Shape = { ObjectSizeGreaterThan: 'count', ObjectSizeLessThan: 'count' };
const RULE: Shape = {
  ID: 'text',
  Prefix: 'text',
  Filter: { Prefix: 'text', Tag: TAG, ...SIZES, And: { Prefix: 'text', Tags: [TAG], ...SIZES } },
  Status: 'text',
  Transitions: [{ Days: 'count', Date: 'text', StorageClass: 'text' }],
  Expiration: { Days: 'count', Date: 'text', ExpiredObjectDeleteMarker: 'flag' },
  NoncurrentVersionTransitions: [{ NoncurrentDays: 'count', NewerNoncurrentVersions: 'count', StorageClass: 'text' }],
  NoncurrentVersionExpiration: { NoncurrentDays: 'count', NewerNoncurrentVersions: 'count' },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 'count' },
};
const SCALARS = {
  text: { is: (value: unknown) => typeof value === 'string', words: 'text' },
  count: { is: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0, words: 'a whole number' },
  flag: { is: (value: unknown) => typeof value === 'boolean', words: 'true or false' },
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function shapeProblems(value: unknown, shape: Shape, place: string): readonly string[] {
  if (!isObject(value)) return [`${place} is no object`];
  return Object.entries(value).flatMap(([key, part]): readonly string[] => {
    const wanted = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const here = `${place}.${key}`;
    if (wanted === undefined) return [`${here} is nothing that S3 knows`];
    if (typeof wanted === 'string') return SCALARS[wanted].is(part) ? [] : [`${here} is not ${SCALARS[wanted].words}`];
    if (!Array.isArray(wanted)) return shapeProblems(part, wanted as Shape, here);
    if (!Array.isArray(part)) return [`${here} is no list`];
    return part.flatMap((one, index) => shapeProblems(one, (wanted as readonly [Shape])[0], `${here}[${index}]`));
  });
}

export interface ReadRules {
  readonly rules: readonly LifecycleRule[];
  /** One sentence per problem; when empty, S3 accepts the rules. */
  readonly problems: readonly string[];
}

/** Reads rules from a parsed file in the form that `aws s3api get-bucket-lifecycle-configuration` prints. */
export function readRules(document: unknown): ReadRules {
  const list = isObject(document) ? document['Rules'] : undefined;
  if (!Array.isArray(list) || list.length === 0)
    return { rules: [], problems: ['there is no list of rules in it under "Rules"'] };
  const problems = list.flatMap((rule, index) => shapeProblems(rule, RULE, `rule ${index + 1}`));
  if (problems.length > 0) return { rules: [], problems };
  const rules = list as readonly LifecycleRule[];
  return { rules, problems: [...setProblems(rules), ...rules.flatMap(ruleProblems)] };
}

/** Checks all rules that a bucket is to have. */
export function setProblems(rules: readonly LifecycleRule[]): readonly string[] {
  const ids = rules.map(({ ID }) => ID);
  const doubles = new Set(ids.filter((id, index) => id !== undefined && ids.indexOf(id) !== index));
  return [
    ...(rules.length > MAX_RULES
      ? [`${rules.length} rules are more than the ${MAX_RULES} that a bucket can have`]
      : []),
    ...Array.from(doubles, (id) => `the ID '${id ?? ''}' is there more than once`),
  ];
}

function ruleProblems(rule: LifecycleRule, index: number): readonly string[] {
  const { ID = '', Status } = rule;
  const name = ID === '' ? `rule ${index + 1}` : `rule '${ID}'`;
  const found = [
    ID === '' && 'has no ID, by which rules are merged',
    ID.length > MAX_ID && `has an ID of more than ${MAX_ID} characters`,
    Status !== 'Enabled' && Status !== 'Disabled' && 'has a Status other than Enabled and Disabled',
    ...filterProblems(rule),
    ...actionProblems(rule),
    ...transitionProblems(rule),
  ];
  return found.flatMap((text) => (text === false ? [] : [`${name} ${text}`]));
}

type Found = readonly (string | false)[];

function filterProblems(rule: LifecycleRule): Found {
  const { Filter, Prefix } = rule;
  const { tags, moreThan, lessThan } = selectionOf(rule);
  const isAborting = rule.AbortIncompleteMultipartUpload !== undefined;
  return [
    (Filter === undefined) === (Prefix === undefined) && 'needs either Filter or the older Prefix',
    Object.keys(Filter ?? {}).length > 1 && 'has several conditions in Filter: they go into And',
    Filter?.And !== undefined && conditionsIn(Filter.And) < 2 && 'has less than two conditions in And',
    new Set(tags.map(({ Key }) => Key)).size < tags.length && 'names a tag twice',
    (moreThan ?? 0) >= (lessThan ?? Number.POSITIVE_INFINITY) && 'selects no size at all',
    isAborting && (tags[0] ?? moreThan ?? lessThan) !== undefined && 'cannot abort uploads by tag or size',
  ];
}

const conditionsIn = ({ Tags = [], ...others }: object & { readonly Tags?: readonly unknown[] }): number =>
  Object.keys(others).length + Tags.length;

/** True when exactly one of Days and Date is given. */
const hasOneWhen = ({ Days, Date: day }: { readonly Days?: number; readonly Date?: string }): boolean =>
  (Days === undefined) !== (day === undefined);

const isMidnight = (day: string): boolean => Date.parse(day) % DAY_MS === 0;

function actionProblems(rule: LifecycleRule): Found {
  const { Transitions: moves = [], Expiration: end } = rule;
  const dates = [...moves, ...(end ? [end] : [])].flatMap(({ Date: day }) => (day === undefined ? [] : [day]));
  const { AbortIncompleteMultipartUpload: abort } = rule;
  return [
    ACTIONS.every((action) => rule[action] === undefined) && 'does nothing',
    dates.some((day) => !isMidnight(day)) && 'has a Date that is no midnight in UTC, such as 2027-01-01T00:00:00Z',
    abort !== undefined && !isPositive(abort.DaysAfterInitiation) && 'needs DaysAfterInitiation of 1 and more',
    ...expirationProblems(rule),
    ...oldVersionProblems(rule),
  ];
}

const ACTIONS = [
  'Transitions',
  'Expiration',
  'NoncurrentVersionTransitions',
  'NoncurrentVersionExpiration',
  'AbortIncompleteMultipartUpload',
] as const;

const isPositive = (count = 0): boolean => count > 0;

function expirationProblems(rule: LifecycleRule): Found {
  const { Expiration: end } = rule;
  if (end === undefined) return [];
  const isMarker = end.ExpiredObjectDeleteMarker !== undefined;
  const isOne = isMarker ? (end.Days ?? end.Date) === undefined : hasOneWhen(end);
  return [
    !isOne && 'needs one of Days, Date and ExpiredObjectDeleteMarker in Expiration',
    isMarker && selectionOf(rule).tags.length > 0 && 'cannot remove delete markers by tag',
    end.Days === 0 && 'expires objects after 0 days',
  ];
}

function oldVersionProblems(rule: LifecycleRule): Found {
  const { NoncurrentVersionExpiration: end, NoncurrentVersionTransitions: moves = [] } = rule;
  const counts = [end, ...moves].flatMap((one) => one?.NewerNoncurrentVersions ?? []);
  return [
    end !== undefined && !isPositive(end.NoncurrentDays) && 'needs NoncurrentDays of 1 and more to expire old versions',
    moves.some(({ NoncurrentDays }) => NoncurrentDays === undefined) && 'moves old versions without NoncurrentDays',
    counts.some((count) => count < 1 || count > MAX_KEPT) && `keeps fewer than 1 or more than ${MAX_KEPT} old versions`,
  ];
}

function transitionProblems(rule: LifecycleRule): Found {
  const { Transitions = [], NoncurrentVersionTransitions = [], Expiration, NoncurrentVersionExpiration } = rule;
  const older = NoncurrentVersionTransitions.map(({ NoncurrentDays, StorageClass }): RuleTransition => ({
    StorageClass,
    ...(NoncurrentDays !== undefined && { Days: NoncurrentDays }),
  }));
  const timed = [...Transitions, ...(Expiration ? [Expiration] : [])];
  return [
    Transitions.some((move) => !hasOneWhen(move)) && 'needs either Days or Date in each transition',
    timed.some(({ Date: day }) => day !== undefined) &&
      timed.some(({ Days }) => Days !== undefined) &&
      'mixes Days and Date',
    ...orderProblems(Transitions),
    ...orderProblems(older),
    endsBefore(Expiration, Transitions) && 'expires objects before it moves them',
    endsBefore({ Days: NoncurrentVersionExpiration?.NoncurrentDays }, older) &&
      'expires old versions before it moves them',
  ];
}

interface When {
  readonly Days?: number | undefined;
  readonly Date?: string | undefined;
}

/** Days after the object was made, or since 1970 for a date; NaN when neither is given. */
const dayOf = ({ Days, Date: day = '' }: When): number => Days ?? Date.parse(day) / DAY_MS;

const endsBefore = (end: When | undefined, moves: readonly When[]): boolean =>
  end !== undefined && moves.some((move) => dayOf(end) <= dayOf(move));

function orderProblems(moves: readonly RuleTransition[]): Found {
  const sorted = [...moves].sort((a, b) => (rankOf(a.StorageClass) ?? 0) - (rankOf(b.StorageClass) ?? 0));
  return [
    ...moves.map(
      ({ StorageClass }) =>
        !TRANSITION_CLASSES.includes(StorageClass) &&
        `moves objects to '${StorageClass}'; classes: ${TRANSITION_CLASSES.join(', ')}`,
    ),
    new Set(moves.map(({ StorageClass }) => StorageClass)).size < moves.length && 'moves twice to one class',
    ...moves.map(
      ({ StorageClass, Days = Infinity }) =>
        Days < waitDays(StorageClass) && `moves to ${StorageClass} before ${waitDays(StorageClass)} days`,
    ),
    ...sorted.slice(1).map((move, index) => {
      const before = sorted[index];
      if (before === undefined) return false;
      const stayDays = dayOf(move) - dayOf(before);
      if (stayDays <= 0) return `moves from ${move.StorageClass} back to ${before.StorageClass}, which S3 does not do`;
      const least = waitDays(before.StorageClass);
      return stayDays < least && `leaves ${before.StorageClass} before ${least} days`;
    }),
  ];
}
