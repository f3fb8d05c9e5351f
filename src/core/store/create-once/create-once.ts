// The front door: finds out whether a store keeps If-None-Match, from what is known of it, otherwise by asking. Folder stores are ours and
// are not asked.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ArchiverError } from '../../platform/failures/errors.js';
import { newUploadId, uploadFolder } from '../ids/upload-id.js';
import type { ObjectStore } from '../object-store.js';
import { plainStore } from '../plain-store.js';
import type { OpenedStore } from '../open-store.js';
import { parseStoreUrl } from '../store-url.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { CreateOnceAnswer } from './answer.js';
import { type ProbeOptions, probeCreateOnce } from './probe.js';
import {
  readLocalAnswer,
  readStoredAnswer,
  type RememberOptions,
  saveLocalAnswer,
  saveStoredAnswer,
} from './remembered-answers.js';

export interface CreateOnceOptions extends RememberOptions, Omit<ProbeOptions, 'isAws' | 'deleter'> {
  /** Name of this computer. */
  readonly host: string;
  /** Put nothing. */
  readonly dryRun: boolean;
}

/** The environment of a run that asks. */
export interface ProbeContext extends Omit<RememberOptions, 'now'> {
  readonly now: () => Date;
  /** Name of this computer; by default the host name. */
  readonly host?: string | undefined;
}

/** Returns the folder for objects that are put to ask a store: that of an upload that never exists. */
export const scratchFolder = (now: () => Date): string => uploadFolder(newUploadId(now(), randomBytes(4)));

/** Returns the options for asking a store. */
export const probeOptionsOf = ({
  home,
  now,
  signal,
  warn,
  host = hostname(),
}: ProbeContext): Omit<CreateOnceOptions, 'dryRun'> => ({
  home,
  now: now(),
  signal,
  warn,
  host,
  folder: scratchFolder(now),
  randomBytes,
});

/**
 * Returns whether the store keeps If-None-Match; undefined if there is nothing to ask: for a folder, a store that somebody vouches for, and
 * what a dry run cannot know.
 */
export async function createOnceOf(
  opened: OpenedStore,
  options: CreateOnceOptions,
): Promise<CreateOnceAnswer | undefined> {
  const { createOnce = 'auto', store } = opened;
  const { host, now, dryRun } = options;
  if (createOnce === 'yes' || parseStoreUrl(store.url).kind === 'file') return undefined;
  if (createOnce === 'no') return { kind: 'plain', seen: '--create-once no says so', askedAt: now, askedBy: host };
  const here = await readLocalAnswer(opened, options);
  if (here !== undefined || dryRun) return here;
  const there = await readStoredAnswer(opened, options);
  if (there === undefined) return await refreshCreateOnce(opened, options);
  await saveLocalAnswer(opened, there, options);
  return there;
}

/** Asks the store even if something is known of it, and remembers the answer. @throws what keeps it from answering */
export async function refreshCreateOnce(
  opened: OpenedStore,
  options: Omit<CreateOnceOptions, 'dryRun'>,
): Promise<CreateOnceAnswer> {
  const answer = await askAndKeepHere(opened, options);
  await saveStoredAnswer(opened, answer, options);
  return answer;
}

/**
 * Asks a store that may not be chosen in the end: nothing new stays there until `copyAnswerToStore`, but a wrong answer that lies there is
 * replaced. @throws what keeps it from answering
 */
export async function probeBeforeChoice(
  opened: OpenedStore,
  options: Omit<CreateOnceOptions, 'dryRun'>,
): Promise<CreateOnceAnswer> {
  const answer = await askAndKeepHere(opened, options);
  if (answer.kind === 'plain' && (await readStoredAnswer(opened, options))?.kind === 'create-once')
    await saveStoredAnswer(opened, answer, options);
  return answer;
}

/** Copies what this computer knows of a store into it, for other computers. @throws what the store throws */
export async function copyAnswerToStore(opened: OpenedStore, options: RememberOptions): Promise<void> {
  const known = await readLocalAnswer(opened, options);
  if (known !== undefined) await saveStoredAnswer(opened, known, options);
}

async function askAndKeepHere(
  opened: OpenedStore,
  options: Omit<CreateOnceOptions, 'dryRun'>,
): Promise<CreateOnceAnswer> {
  const { now, host } = options;
  const { store, deleter, isAws } = opened;
  const probed = await probeCreateOnce(store, { ...options, isAws, deleter });
  const answer = { ...probed, askedAt: now, askedBy: host };
  await saveLocalAnswer(opened, answer, options);
  return answer;
}

export interface WritableOptions extends CreateOnceOptions {
  /** True if the user says that nobody else writes there now. */
  readonly isExclusive?: boolean;
}

/** Returns the store to write to: one without conditions if it does not create a key only once. @throws what asking throws */
export async function asWritable(opened: OpenedStore, options: WritableOptions): Promise<OpenedStore> {
  const { isExclusive = false } = options;
  if ((await createOnceOf(opened, options))?.kind !== 'plain') return opened;
  return { ...opened, store: plainStore(opened.store, { isExclusive }) };
}

export interface Writing {
  /** True with `--exclusive`: nobody else writes there now. */
  readonly isExclusive?: boolean | undefined;
  /** True to ask nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Returns the store that a run writes to. @throws what keeps it from answering */
export const writableStore = async (
  opened: OpenedStore,
  asking: ProbeContext,
  { isExclusive = false, dryRun = false }: Writing = {},
): Promise<OpenedStore> => await asWritable(opened, { ...probeOptionsOf(asking), isExclusive, dryRun });

/**
 * Checks that a writer of versions can list a plain store: nothing else shows the versions of others, and what a sweep is about to delete.
 * @throws plain-store
 */
export function refuseUnlisted({ plain, url }: ObjectStore): void {
  if (plain === undefined) return;
  const what = `${printable(url)} does not create a key only once, and these credentials may not list it`;
  throw new ArchiverError('plain-store', `${what}: versions of others would not be seen; nothing was sent`, {
    hint: 'allow s3:ListBucket to them; --create-once yes vouches for the store',
  });
}
