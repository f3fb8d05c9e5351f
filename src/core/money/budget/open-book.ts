// Opens the store that holds the book of budgets.
import { usageError } from '../../platform/failures/errors.js';
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

/** Opens the book's store for a command whose main task is another; the caller closes it. @throws usage, and what opening throws */
export const openBook = async (place: BookPlace, access: Access): Promise<OpenedStore> =>
  await openStore(bookUrl(place), { ...access, regionGiven: false, defaultRegion: DEFAULT_REGION });
