// The answer whether a store keeps If-None-Match, on which the commit protocol depends (rules.md#asked-stores). A *create-once* store lets
// exactly one of many rivals put a key; a *plain* one does not, so the protocol must not rely on it there.
import * as s from '../../platform/documents/schema.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';

const BODY = s.schema(() =>
  s.object({
    place: s.text,
    kind: s.oneOf(['create-once', 'plain']),
    /** A clause that says what was seen: `it overwrote an object in spite of If-None-Match`. */
    seen: s.text,
    askedAt: s.date,
    /** The computer that asked. */
    askedBy: s.text,
  }),
);

export type CreateOnceAnswer = Omit<s.Read<typeof BODY>, 'place'>;

/** An answer, and the server and bucket that it is about, so that a copied bucket does not take it along. */
export interface PlacedAnswer {
  readonly place: string;
  readonly answer: CreateOnceAnswer;
}

const KIND = { type: 'archiver-create-once', format: 1, noun: 'note of what a store keeps', body: BODY } as const;
const DAY_MS = 86_400_000;
const TRUSTED_MS = 30 * DAY_MS;

export const encodeAnswer = ({ place, answer }: PlacedAnswer): string =>
  encodeStateDocument(KIND, { place, ...answer, askedAt: answer.askedAt.toISOString() });

/** Parses an answer; `path` names it in messages. @throws integrity, unsupported for anything else */
export function parseAnswer(text: string, path: string): PlacedAnswer {
  const { place, ...answer } = readStateDocument(text, KIND, { path, hint: '' });
  return { place, answer };
}

/** Whether an answer is recent enough to count. One from the future was dated by a wrong clock. */
export function isFresh({ askedAt }: Pick<CreateOnceAnswer, 'askedAt'>, now: Date): boolean {
  const ageMs = now.getTime() - askedAt.getTime();
  return ageMs > -DAY_MS && ageMs < TRUSTED_MS;
}
