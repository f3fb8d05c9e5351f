// Facts about providers, known before the store is asked. They are measured or taken from their documents, with dates in docs/providers.md.
// Null stands for what could not be found: the store is to be asked (`archiver access-check`), and nothing is guessed.
import type { STORAGE_CLASSES } from './storage-classes.js';

export type StorageClass = (typeof STORAGE_CLASSES)[number];

/** The kind of IAM policies that a writer's user can be given there, as far as they were tried; otherwise why it can be given none. */
export type Policies = 'aws' | 'minio' | 'ceph' | 'untried' | { readonly none: string };

export interface ProviderFacts {
  /** Name that people use. */
  readonly name: string;
  /** Address of the server, with the placeholders `{region}` and `{account}`; null if each store has its own. */
  readonly endpoint: string | null;
  /** Example of an address to type over. Null if there is no usual one. */
  readonly usualAddress: string | null;
  /** Other hosts of the same service; the group `region` matches the region. */
  readonly otherHosts: readonly RegExp[];
  /** Meaning of `{account}`, and where to find it. */
  readonly account: string | null;
  /** Pattern of regions that the address may name, if not any word is one. */
  readonly regionPattern: string;
  /** Region to sign requests for if nobody names one; null if it depends on the bucket, or does not matter. */
  readonly defaultRegion: string | null;
  /** Examples of regions, the first one for messages; none if regions mean nothing. */
  readonly regions: readonly string[];
  /** `path`: buckets in the path, as archiver sends to every server but AWS; `both`: they may be in the host name, too. */
  readonly addressing: 'path' | 'both';
  /** Source of prices: the list in the program (for each region, or one), or the config file. */
  readonly prices: 'by-region' | 'one-list' | 'own';
  readonly classes: readonly StorageClass[] | null;
  readonly versions: boolean | null;
  readonly locks: boolean | null;
  /** Whether it has a lifecycle rule that ends unfinished uploads. */
  readonly endsUploads: boolean | null;
  readonly policies: Policies;
  /** Anchor in docs/providers.md. */
  readonly anchor: string;
}

/** Facts about a store of which nothing is known. */
export const UNKNOWN: Omit<ProviderFacts, 'name' | 'anchor'> = {
  endpoint: null,
  usualAddress: null,
  otherHosts: [],
  account: null,
  regionPattern: '[a-z0-9-]+',
  defaultRegion: null,
  regions: [],
  addressing: 'path',
  prices: 'own',
  classes: null,
  versions: null,
  locks: null,
  endsUploads: null,
  policies: 'untried',
};
