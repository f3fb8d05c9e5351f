// Whether a store keeps If-None-Match, as it was found out: the commit protocol stands on it (rules.md#asked-stores). A
// *create-once* store lets exactly one of many rivals put a key; a *plain* one does not, and nothing may be built on it there.
import type { Fields } from '../json/json-fields.js';
import { encodeStateDocument, parseStateDocument } from '../state/document.js';

export interface CreateOnceAnswer {
  readonly kind: 'create-once' | 'plain';
  /** A clause: `it overwrote an object in spite of If-None-Match`. */
  readonly seen: string;
  readonly askedAt: Date;
  /** The computer that asked. */
  readonly askedBy: string;
}

/** An answer, and the server and bucket that it is about: a bucket that was copied somewhere else takes none along. */
export interface PlacedAnswer {
  readonly place: string;
  readonly answer: CreateOnceAnswer;
}

const KIND = { type: 'archiver-create-once', format: 1, noun: 'note of what a store keeps' } as const;
const DAY_MS = 86_400_000;
const TRUSTED_MS = 30 * DAY_MS;

export const encodeAnswer = ({ place, answer }: PlacedAnswer): string =>
  encodeStateDocument(KIND, { place, ...answer, askedAt: answer.askedAt.toISOString() });

/** @throws integrity, unsupported for anything else; `path` names it in messages */
export function parseAnswer(text: string, path: string): PlacedAnswer {
  const { fields } = parseStateDocument(text, KIND, { path, hint: '' });
  const kind = fields.text('kind');
  if (kind !== 'create-once' && kind !== 'plain') return fields.fail('kind', 'create-once or plain');
  const answer = { kind, seen: fields.text('seen'), askedAt: timeOf(fields), askedBy: fields.text('askedBy') } as const;
  return { place: fields.text('place'), answer };
}

function timeOf(fields: Fields): Date {
  const time = new Date(fields.text('askedAt'));
  return Number.isNaN(time.getTime()) ? fields.fail('askedAt', 'a time') : time;
}

/** Whether an answer still counts. One from the future is by a clock that was wrong. */
export function isFresh({ askedAt }: CreateOnceAnswer, now: Date): boolean {
  const ageMs = now.getTime() - askedAt.getTime();
  return ageMs > -DAY_MS && ageMs < TRUSTED_MS;
}
