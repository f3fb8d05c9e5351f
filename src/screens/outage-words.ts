// Words for a store that does not answer, which all screens share.
import type { Outage } from '../stores/outage.js';
import { clockMinute } from '../ui/format-time.js';

const WORDS: Readonly<Record<Outage['kind'], string>> = {
  unreachable: 'unreachable',
  busy: 'busy',
  failed: 'cannot be read',
  unanswered: 'no answer',
};

/** `unreachable since 11:34`, `try 3 of 10`. */
export const outageWords = ({ kind, since, seenAt, attempt }: Outage): readonly string[] => [
  `${WORDS[kind]} since ${clockMinute(since, seenAt)}`,
  ...(attempt === undefined ? [] : [`try ${attempt.next} of ${attempt.most}`]),
];

/** `the store: unreachable since 11:34, try 3 of 10`. */
export const storeOutageText = (outage: Outage): string => `the store: ${outageWords(outage).join(', ')}`;
