// An answer, or why there is none. One question that is refused stops none of the others.
import { isArchiverError } from '../platform/failures/errors.js';
import { StoreError } from '../store/store-error.js';
import { finding, type Finding } from './finding.js';

export interface Unanswered {
  /** The IAM action that the question needs. */
  readonly action: string;
  /** One sentence. */
  readonly why: string;
  /** A policy refused it. */
  readonly isRefused: boolean;
  /** The store does not know the request. */
  readonly isLacking?: boolean;
}

export type Answer<T> = { readonly value: T } | { readonly unanswered: Unanswered };

export const isAnswered = <T>(answer: Answer<T>): answer is { readonly value: T } => 'value' in answer;

/** The value, or undefined. */
export const valueOf = <T>(answer: Answer<T>): T | undefined => (isAnswered(answer) ? answer.value : undefined);

export const unanswered = (
  action: string,
  why: string,
  { isRefused = false, isLacking = false }: Partial<Pick<Unanswered, 'isRefused' | 'isLacking'>> = {},
): { readonly unanswered: Unanswered } => ({ unanswered: { action, why, isRefused, isLacking } });

/** The next question would fare no better. */
const ENDS_ALL = new Set(['Unreached', 'WrongRegion', 'NoSuchBucket']);

/**
 * What `ask` gives. Refusals by a policy, requests that the service does not know and answers that make no sense leave the
 * question unanswered. @throws cancelled, and what stops all others as well: wrong credentials, a service that is not reached
 */
export async function answerOf<T>(action: string, ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const isForAll = error.code === 'credentials' || error.code === 'stalled';
    if (isForAll || ENDS_ALL.has(error.reason ?? '')) throw error;
    return unanswered(action, error.message, { isRefused: error.isRefused, isLacking: error.code === 'unsupported' });
  }
}

/** The same where a failure of the service is no failure of the report. @throws cancelled alone */
export async function answerIfAny<T>(action: string, ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return await answerOf(action, ask);
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    return unanswered(action, error.message);
  }
}

/** What is said of a check that could not be made. */
export const unknownFinding = (check: string, { action, why, isRefused }: Unanswered, more = ''): Finding =>
  finding(check, 'unknown', isRefused ? `needs ${action}` : `not answered (${action})`, {
    detail: `${why}.${isRefused ? ` The credentials need ${action}.` : ''}${more === '' ? '' : ` ${more}`}`,
  });
