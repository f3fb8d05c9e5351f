// Judges a store's answers about its capabilities. Pure. Silence is never taken for yes.
import { type Answer, isAnswered } from '../answer.js';
import type { CreateOnceAnswer } from '../../store/create-once/answer.js';
import type { RuleSet } from '../../store/bucket-lifecycle.js';
import type { PostureAnswers } from '../../store/bucket-posture.js';
import type { ObjectInfo } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { no, notAnswered, notKnown, type Seen, yes } from './capability.js';
import type { ClassesSeen, UnfinishedSeen } from './scratch.js';

/** `none` describes what it means when the store does not support the request. */
function judged<T>(answer: Answer<T>, none: string, judge: (value: T) => Seen): Seen {
  if (isAnswered(answer)) return judge(answer.value);
  return answer.unanswered.isLacking ? no(none) : notAnswered(answer.unanswered);
}

export const createOnceSeen = (answer: Answer<Pick<CreateOnceAnswer, 'kind' | 'seen'>>): Seen =>
  judged(answer, 'it does not take the question', ({ kind, seen }) =>
    kind === 'create-once'
      ? yes('of two writers at one key one is refused')
      : no(`asked whether it keeps If-None-Match, ${printable(seen)}`),
  );

export const versionsSeen = (answer: Answer<PostureAnswers['versioning']>): Seen =>
  judged(answer, 'the store does not have it', ({ status }) => {
    if (status === 'Enabled') return yes('versioning is on');
    if (status === undefined) return no('versioning was never turned on');
    return status === 'Suspended'
      ? no('versioning is suspended')
      : notKnown(`the bucket says ${printable(status)}, which is not understood`);
  });

export const objectLockSeen = (answer: Answer<PostureAnswers['objectLock']>): Seen =>
  judged(answer, 'the store does not have it', (lock) => {
    if (lock?.isOn !== true) return no('the bucket has none');
    const { mode, days, years } = lock.retention ?? {};
    const time = days === undefined ? `${years ?? '?'} years` : `${days} days`;
    return yes(mode === undefined ? 'on, without a default retention' : `on, by default ${printable(mode)}, ${time}`);
  });

export const lifecycleSeen = (answer: Answer<RuleSet>): Seen =>
  judged(answer, 'the store does not have it', ({ rules, isBlank }) => {
    if (isBlank === true) return notKnown('it answers without rules and without saying that there are none');
    return yes(`there can be rules, and the bucket has ${rules.length === 0 ? 'none' : rules.length}`);
  });

export const classesSeen = (answer: Answer<ClassesSeen>): Seen =>
  judged(answer, 'the store does not have it', ({ kept, dropped, refused, names }) => {
    const others = [
      ...(dropped.length === 0 ? [] : [`taken and not kept: ${dropped.join(', ')}`]),
      ...(refused.length === 0 ? [] : [`refused: ${refused.join(', ')}`]),
    ];
    if (kept.length === 0) return no(['STANDARD alone', ...others].join('; '));
    const labels = names.length === 0 ? [] : [`as names alone, since they are read at once: ${names.join(', ')}`];
    return yes([kept.join(', '), ...others, ...labels].join('; '));
  });

/** Judges encryption. The encryption of an object that was put without asking for any counts more than the bucket's setting. */
export function encryptionSeen(
  ofObject: Answer<ObjectInfo['encryption']>,
  ofBucket: Answer<PostureAnswers['encryption']>,
): Seen {
  if (isAnswered(ofObject)) {
    const { method, kmsKeyId } = ofObject.value ?? {};
    if (method === undefined) return no('an object that was put shows none');
    return yes(`of each object: ${printable(method)}${kmsKeyId === null ? '' : ` with ${printable(kmsKeyId ?? '')}`}`);
  }
  if (!isAnswered(ofBucket)) return notAnswered(ofObject.unanswered);
  const [rule] = ofBucket.value ?? [];
  return rule === undefined ? notAnswered(ofObject.unanswered) : yes(`by default: ${printable(rule.algorithm)}`);
}

const LISTED: Readonly<Record<UnfinishedSeen, Seen>> = {
  listed: yes('one that was begun is listed'),
  'listed-then': yes('one that was begun is listed; where there is none, it says that it lists none'),
  'not-listed': no('one that was begun is not listed'),
  answered: yes('a listing of them is answered'),
};

export const unfinishedSeen = (answer: Answer<UnfinishedSeen>): Seen =>
  judged(answer, 'the store does not list them', (seen) => LISTED[seen]);

export const copySeen = (answer: Answer<boolean>): Seen =>
  judged(answer, 'the store does not have it', (isCopied) =>
    isCopied ? yes('a part was copied') : no('it says that a part was copied, and the part does not have the bytes'),
  );

export const LARGEST_PART = notKnown('not asked: gigabytes would have to be sent');
