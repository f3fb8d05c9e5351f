// The front door to storage classes: finds out whether a store keeps those that chunks are about to go to, by putting an object of a few
// bytes in each. Some servers refuse a class, others accept any and store objects like all others (Garage): what is archived there would be
// taken for cold, and priced so, and is neither. AWS is not asked, and neither are folders.
import { readFile } from 'node:fs/promises';
import { isFresh } from '../create-once/answer.js';
import { hashedFilePath, placeOf, type RememberOptions } from '../create-once/remembered-answers.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError, isArchiverError, undefinedOn, systemCode } from '../../platform/failures/errors.js';
import { ifAllowed } from '../abilities.js';
import type { OpenedStore } from '../open-store.js';
import { parseStoreUrl } from '../store-url.js';
import { printable } from '../../platform/paths/raw-path.js';
import { factsOf } from '../providers/provider-table.js';
import type { Provider } from '../providers/provider.js';
import { STORAGE_CLASSES } from '../providers/storage-classes.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { isKept, ScratchObjects, type ScratchPlace, type TriedClass } from './scratch-objects.js';

export interface AskingClasses extends RememberOptions, Pick<ScratchPlace, 'folder' | 'randomBytes'> {}

type Opened = Pick<OpenedStore, 'store' | 'deleter'>;

/** The storage classes that a store keeps, and how that is known. */
export interface SupportedClasses {
  /** All classes, STANDARD included. */
  readonly classes: readonly string[];
  /** A clause without its subject: `asked just now, keeps STANDARD alone`. */
  readonly text: string;
}

const OTHERS: readonly string[] = STORAGE_CLASSES.filter((name) => name !== 'STANDARD');

/**
 * Refuses classes that the store does not keep. A writer that may not put in a class, or not list, goes on and gets the answer from the
 * store later. @throws unsupported before anything is sent; what asking throws
 */
export async function refuseUnsupportedClasses(
  opened: OpenedStore,
  classes: Iterable<string>,
  asking: AskingClasses,
): Promise<void> {
  const { store, isAws } = opened;
  if (isAws || parseStoreUrl(store.url).kind === 'file') return;
  const unknown: string[] = [];
  for (const name of new Set(classes))
    if (name !== 'STANDARD' && !(await isRemembered(opened, name, asking))) unknown.push(name);
  if (unknown.length === 0) return;
  const tried = await ifAllowed(store, 'list', asking.folder, () => tryClasses(opened, unknown, asking));
  for (const one of tried ?? []) if (isKept(one)) await remember(opened, one.name, asking);
  const lacking = tried?.find((one) => !isKept(one) && isConclusive(one));
  if (lacking !== undefined) throw await unkeptError(opened, lacking, asking);
}

/** Whether the outcome proves something: a policy's refusal does not, nor does an object that is not listed yet. */
const isConclusive = ({ shown, refusal }: TriedClass): boolean =>
  refusal === undefined ? shown !== undefined : !refusal.isRefused;

async function unkeptError(
  opened: OpenedStore,
  { name, shown, refusal }: TriedClass,
  asking: AskingClasses,
): Promise<ArchiverError> {
  const { runBy, store } = opened;
  const kept = await supportedClasses(opened, asking, runBy);
  // The refusal may be about something else, unless an object without a class was accepted.
  if (refusal !== undefined && kept?.isAsked !== true) return refusal;
  const seen =
    refusal === undefined
      ? `it takes ${name} and keeps it as ${printable(shown ?? '')}`
      : `it answered ${printable(refusal.reason ?? refusal.code)}`;
  const known = kept === undefined ? '' : `; ${kept.text}`;
  const what = `${printable(store.url)} does not have storage class ${name} (${seen})${known}; nothing was sent`;
  const others = (kept?.classes ?? []).filter((one) => one !== 'STANDARD');
  const or = others.length === 0 ? '' : `, or name one that it keeps (${others.join(', ')})`;
  return new ArchiverError('unsupported', what, {
    hint: `leave the storage class out (chunks are then STANDARD)${or}`,
  });
}

/**
 * Finds the classes that a store keeps: asks by small objects, which are deleted again; if it does not answer, uses what is known of its
 * provider. Undefined if neither tells. @throws cancelled, wrong credentials
 */
export async function supportedClasses(
  opened: Opened,
  asking: Omit<AskingClasses, keyof RememberOptions> & Pick<RememberOptions, 'signal'>,
  provider: Provider | undefined,
): Promise<(SupportedClasses & { readonly isAsked: boolean }) | undefined> {
  const tried = await tryClasses(opened, OTHERS, asking, true).catch(
    undefinedOn('access-denied', 'unsupported', 'store'),
  );
  if (tried !== undefined) {
    const classes = ['STANDARD', ...tried.filter(isKept).map(({ name }) => name)];
    return { classes, text: `asked just now, it keeps ${listed(classes)}`, isAsked: true };
  }
  if (provider === undefined) return undefined;
  const { name, classes } = factsOf(provider);
  return classes === null
    ? undefined
    : { classes, text: `${name} is known to keep ${listed(classes)}`, isAsked: false };
}

const listed = (classes: readonly string[]): string =>
  classes.length === 1 ? `${classes.join('')} alone` : classes.join(', ');

/** Puts an object in each class. With `isPlainFirst`, one without a class must be accepted first for the others to prove anything. */
async function tryClasses(
  { store, deleter }: Opened,
  names: readonly string[],
  { folder, randomBytes, signal }: Pick<AskingClasses, 'folder' | 'randomBytes' | 'signal'>,
  isPlainFirst = false,
): Promise<readonly TriedClass[]> {
  const isCreateOnce = store.plain === undefined;
  const scratch = new ScratchObjects({ store, deleter, folder, randomBytes, signal, isCreateOnce });
  try {
    if (isPlainFirst) await scratch.put();
    return await scratch.tryClasses(names);
  } finally {
    await scratch.cleanUp();
  }
}

// Remembers on this computer that a class is kept (and only that), for as long as what a store says of If-None-Match.
const BODY = s.schema(() => s.object({ kept: s.text, askedAt: s.date }));
const KIND = { type: 'archiver-kept-class', format: 1, noun: 'note of a storage class', body: BODY } as const;

const fileOf = (home: string, kept: string): string => hashedFilePath(home, 'storage-classes', kept);

async function isRemembered(opened: OpenedStore, name: string, { home, now }: AskingClasses): Promise<boolean> {
  if (home === undefined) return false;
  const kept = `${placeOf(opened)} ${name}`;
  const path = fileOf(home, kept);
  // A note that cannot be read counts as none.
  const text = await readFile(path, 'utf8').catch((error: unknown) => void systemCode(error));
  if (text === undefined) return false;
  try {
    const known = readStateDocument(text, KIND, { path, hint: '' });
    return known.kept === kept && isFresh(known, now);
  } catch (error) {
    if (isArchiverError(error, 'integrity', 'unsupported')) return false;
    throw error;
  }
}

async function remember(opened: OpenedStore, name: string, { home, now, warn }: AskingClasses): Promise<void> {
  if (home === undefined) return;
  const kept = `${placeOf(opened)} ${name}`;
  try {
    await replaceFile(fileOf(home, kept), encodeStateDocument(KIND, { kept, askedAt: now.toISOString() }));
  } catch (error) {
    warn(`that the store keeps ${name} cannot be remembered in ${home} (${systemCode(error) ?? 'unknown reason'})`);
  }
}
