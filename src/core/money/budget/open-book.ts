// Opens the store that holds the book of budgets.
import { stat } from 'node:fs/promises';
import { ArchiverError, undefinedOn, usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { openStore, type OpenedStore, type OpenStoreOptions } from '../../store/open-store.js';
import { formatStoreUrl, parseStoreUrl, storeUrlOf } from '../../store/store-url.js';

export interface BookPlace {
  /** `local`, or the URL or path of a store. */
  readonly place: string;
  /** The folder of local state. */
  readonly home: string;
  readonly cwd: string;
}

/** Returns the URL of the place. @throws usage for an invalid one */
export function bookUrl({ place, home, cwd }: BookPlace): string {
  if (place === 'local') return `file://${home}`;
  const url = storeUrlOf(place, cwd);
  if (url === undefined) throw usageError('--budget-store wants local, s3://bucket/prefix or file:///absolute/folder');
  return formatStoreUrl(parseStoreUrl(url));
}

/** Options for opening the store; the region of the upload's store is left out, because another bucket may be elsewhere. */
type Access = Pick<OpenStoreOptions, 'env' | 'profile' | 'endpointUrl' | 'caBundle' | 'signal'>;

const DEFAULT_REGION = 'us-west-2';

/**
 * Opens the book's store for a command whose main task is another; the caller closes it. @throws usage; not-found for a folder that is not
 * there; what opening throws
 */
export async function openBook(place: BookPlace, access: Access): Promise<OpenedStore> {
  await refuseMissingFolder(place);
  return await openStore(bookUrl(place), { ...access, regionGiven: false, defaultRegion: DEFAULT_REGION });
}

/**
 * Refuses a folder that is not there: it was mistyped, or its disk is not mounted, and there may be budgets. That of this computer is made
 * when it is needed. @throws usage, not-found, and system errors
 */
export async function refuseMissingFolder(place: BookPlace): Promise<void> {
  if (place.place === 'local') return;
  const url = parseStoreUrl(bookUrl(place));
  if (url.kind !== 'file' || (await stat(url.folder).catch(undefinedOn('ENOENT', 'ENOTDIR'))) !== undefined) return;
  throw new ArchiverError('not-found', `there is no folder ${printable(url.folder)}`, {
    hint: `mount it, name the right place (--budget-store), or begin there: archiver budget set --global --cost USD --store ${shellWord(printable(url.folder))}`,
  });
}
