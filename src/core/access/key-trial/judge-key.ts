// Judges a key's promises by the results of its trial. Pure. Only a refusal counts as one: other failures prove nothing.
import { type Answer, isAnswered, type Unanswered } from '../answer.js';
import { objectLockSeen } from '../capabilities/judge.js';
import type { PostureAnswers } from '../../store/bucket-posture.js';
import type { KeyPromise, PromiseName, PromiseState } from './key-promise.js';
import type { ServerAdvice } from './server-advice.js';
import type { KeySeen, OtherSeen } from './try-key.js';

type Row = Pick<KeyPromise, 'state' | 'detail'>;

export interface JudgedKey {
  readonly seen: KeySeen;
  readonly objectLock: Answer<PostureAnswers['objectLock']>;
  /** Whether the store is known to have Object Lock, from elsewhere; null when not known. */
  readonly hasLocks: boolean | null;
  readonly advice: ServerAdvice;
}

const row = (state: PromiseState, detail: string): Row => ({ state, detail });
const notKnown = ({ why }: Unanswered): Row => row('unknown', `not answered: ${why}`);
const NOT_TRIED = row('unknown', 'not tried: this key stores nothing');

/** Judges an action that the key must be allowed. */
const mustBeAllowed = (answer: Answer<unknown>, done: string, refused: string): Row => {
  if (isAnswered(answer)) return row('holds', done);
  return answer.unanswered.isRefused ? row('broken', refused) : notKnown(answer.unanswered);
};

/** Judges an action that the key must not be allowed. */
const mustBeRefused = (answer: Answer<unknown>, refused: string, done: string): Row => {
  if (isAnswered(answer)) return row('broken', done);
  return answer.unanswered.isRefused ? row('holds', refused) : notKnown(answer.unanswered);
};

/** Returns all promises that were tested, in the order of their names. */
export function judgeKey({ seen, objectLock, hasLocks, advice }: JudgedKey): readonly KeyPromise[] {
  const { put, other } = seen;
  const stores = mustBeAllowed(put, 'a new object is stored', 'a PUT of a new object is refused');
  const rows: Readonly<Partial<Record<PromiseName, Row>>> = {
    stores,
    ...(isAnswered(put) ? ownRows(seen) : untried()),
    locked: lockedRow(objectLock, hasLocks),
    ...(other && otherRows(other)),
  };
  const names = Object.keys(rows) as PromiseName[];
  return names.flatMap((name) => {
    const one = rows[name];
    return one === undefined
      ? []
      : [{ name, ...one, consequence: advice.of(name, one.state, rows['versions-kept']?.state ?? 'unknown') }];
  });
}

const OWN = [
  'lists',
  'reads-nothing',
  'creates-once',
  'overwrites-nothing',
  'deletes-nothing',
  'versions-kept',
  'versions-not-deleted',
] as const;

const untried = (): Partial<Record<PromiseName, Row>> => Object.fromEntries(OWN.map((name) => [name, NOT_TRIED]));

function ownRows(seen: KeySeen): Readonly<Record<(typeof OWN)[number], Row>> {
  const { list, read, again, overwrite, remove, versions, removeVersion } = seen;
  return {
    lists:
      isAnswered(list) && !list.value
        ? row('broken', 'a listing does not show what was stored')
        : mustBeAllowed(list, 'a listing shows what was stored', 'a LIST of its own place is refused'),
    'reads-nothing':
      isAnswered(read) && !read.value
        ? row('broken', 'what was stored is read, and not as it was put')
        : mustBeRefused(read, 'a GET of what it has stored is refused', 'it reads what it has stored'),
    'creates-once': createsOnce(again),
    'overwrites-nothing': mustBeRefused(
      overwrite,
      'a PUT without a condition over its own object is refused',
      'a PUT without a condition has replaced its own object',
    ),
    'deletes-nothing': mustBeRefused(remove, 'a DELETE of its own object is refused', 'it has deleted its own object'),
    'versions-kept': VERSIONS[versions],
    'versions-not-deleted':
      removeVersion === undefined
        ? row('unknown', 'not tried: there are no versions')
        : mustBeRefused(removeVersion, 'a DELETE of a version is refused', 'a DELETE of a version is taken'),
  };
}

const VERSIONS: Readonly<Record<KeySeen['versions'], Row>> = {
  kept: row('holds', 'the store keeps versions of what it stores'),
  perhaps: row('unknown', 'the store names a version, and this key may not see whether it keeps any'),
  none: row('broken', 'the store keeps no version of what it stores'),
};

function createsOnce(again: KeySeen['again']): Row {
  if (!isAnswered(again)) {
    const { unanswered } = again;
    return unanswered.isLacking === true
      ? row('broken', 'the store does not know If-None-Match')
      : notKnown(unanswered);
  }
  return again.value === 'kept'
    ? row('holds', 'a PUT with If-None-Match over its own object is refused')
    : row('broken', 'a PUT with If-None-Match has replaced its own object');
}

function lockedRow(answer: Answer<PostureAnswers['objectLock']>, hasLocks: boolean | null): Row {
  const { state, detail } = objectLockSeen(answer);
  if (state === 'unknown')
    return hasLocks === false ? row('broken', 'the store does not have it') : row('unknown', detail);
  const isLocked = isAnswered(answer) && answer.value?.retention !== undefined;
  return row(isLocked ? 'holds' : 'broken', detail);
}

function otherRows({ list, put, read, remove }: OtherSeen): Partial<Record<PromiseName, Row>> {
  return {
    'others-not-listed': mustBeRefused(
      list,
      "a LIST of another writer's place is refused",
      "it may list another writer's place",
    ),
    'others-not-read': readOfOther({ list, put, read }),
    'others-not-written': mustBeRefused(
      put,
      "a PUT in another writer's place is refused",
      "it has stored an object in another writer's place",
    ),
    'others-not-deleted': mustBeRefused(
      remove,
      "a DELETE in another writer's place is refused",
      "a DELETE in another writer's place is taken",
    ),
  };
}

/** Judges reading; stores answer 403 for missing objects as well when listing is not allowed. */
function readOfOther({ list, put, read }: Pick<OtherSeen, 'list' | 'put' | 'read'>): Row {
  const refused = "a GET in another writer's place is refused";
  const isTold = isAnswered(put) || isAnswered(list);
  if (!isAnswered(read) && read.unanswered.isRefused && !isTold)
    return row('unknown', `${refused}, as it is of an object that is not there to who may not list`);
  const done =
    isAnswered(read) && read.value === 'missing'
      ? "a GET in another writer's place is answered: there is no such object"
      : "it reads an object in another writer's place";
  return mustBeRefused(read, refused, done);
}
