// Remembers the answer of a store for 30 days: in the home of this user, by server and bucket, and, if these credentials may put, in the
// store itself, for other computers. Both are hints of equal worth; if an answer cannot be read, the store is asked again.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isArchiverError, undefinedOn, systemCode } from '../../platform/failures/errors.js';
import { ifAllowed } from '../abilities.js';
import type { OpenedStore } from '../open-store.js';
import { readAll } from '../read-content.js';
import { parseStoreUrl } from '../store-url.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { type CreateOnceAnswer, encodeAnswer, isFresh, parseAnswer } from './answer.js';

/** Key of the answer, below the base of the store. */
export const ANSWER_KEY = 'create-once.json';
const MAX_BYTES = 64 * 1024;

export interface RememberOptions {
  /** Archiver's own folder; undefined if this computer remembers nothing. */
  readonly home: string | undefined;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Called with a text about what cannot be kept on this computer. */
  readonly warn: (text: string) => void;
}

/** Returns the server and bucket that an answer is about. */
export function placeOf({ store, servers }: OpenedStore): string {
  const url = parseStoreUrl(store.url);
  return `${servers?.store ?? 'aws'} ${url.kind === 's3' ? url.bucket : url.folder}`;
}

/** Returns the file in `folder` of archiver's own folder for `what`, which may be of any length and contain any character. */
export const hashedFilePath = (home: string, folder: string, what: string): string =>
  join(home, folder, `${createHash('sha256').update(what).digest('hex').slice(0, 32)}.json`);

const fileOf = (home: string, place: string): string => hashedFilePath(home, 'create-once', place);

/** Returns what this computer knows; undefined if that is nothing, or too old. */
export async function readLocalAnswer(
  opened: OpenedStore,
  { home, now }: RememberOptions,
): Promise<CreateOnceAnswer | undefined> {
  if (home === undefined) return undefined;
  const path = fileOf(home, placeOf(opened));
  // An answer that cannot be read counts as none.
  const text = await readFile(path, 'utf8').catch((error: unknown) => void systemCode(error));
  return text === undefined ? undefined : answerIn(text, path, opened, now);
}

/** Returns what the store itself says, in one request. @throws what the store throws, except that a policy forbids it */
export async function readStoredAnswer(
  opened: OpenedStore,
  { now, signal }: RememberOptions,
): Promise<CreateOnceAnswer | undefined> {
  const { store } = opened;
  const content = await ifAllowed(store, 'read', ANSWER_KEY, async () =>
    store.get(ANSWER_KEY, { signal }).catch(undefinedOn('not-found')),
  );
  if (content === undefined) return undefined;
  const bytes = await readAll(content, MAX_BYTES).catch(undefinedOn('integrity'));
  return bytes === undefined ? undefined : answerIn(bytes.toString(), ANSWER_KEY, opened, now);
}

function answerIn(text: string, path: string, opened: OpenedStore, now: Date): CreateOnceAnswer | undefined {
  try {
    const { place, answer } = parseAnswer(text, path);
    return place === placeOf(opened) && isFresh(answer, now) ? answer : undefined;
  } catch (error) {
    if (isArchiverError(error, 'integrity', 'unsupported')) return undefined;
    throw error;
  }
}

/** Keeps the answer on this computer. */
export async function saveLocalAnswer(
  opened: OpenedStore,
  answer: CreateOnceAnswer,
  { home, warn }: RememberOptions,
): Promise<void> {
  if (home === undefined) return;
  const place = placeOf(opened);
  try {
    await replaceFile(fileOf(home, place), encodeAnswer({ place, answer }));
  } catch (error) {
    warn(`what the store keeps cannot be remembered in ${home} (${systemCode(error) ?? 'unknown reason'})`);
  }
}

/** Keeps the answer in the store, if these credentials may. @throws cancelled, and other failures that are not about permissions */
export async function saveStoredAnswer(
  opened: OpenedStore,
  answer: CreateOnceAnswer,
  { signal }: RememberOptions,
): Promise<void> {
  const body = Buffer.from(encodeAnswer({ place: placeOf(opened), answer }));
  const put = (ifAbsent: boolean): Promise<unknown> => opened.store.put(ANSWER_KEY, body, { ifAbsent, signal });
  // A policy may allow no put without the condition; an older answer is replaced if that is allowed.
  const first = answer.kind === 'plain' ? put(false) : put(true).catch(undefinedOn('conflict'));
  const isKept = await first.catch(undefinedOn('access-denied'));
  if (isKept === undefined && answer.kind === 'create-once') await put(false).catch(undefinedOn('access-denied'));
}
