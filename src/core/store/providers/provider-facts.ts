// What is known of who runs a store, before the store is asked. It is measured or from their documents, with dates in
// docs/providers.md. Null is what could not be found: the store is to be asked (`archiver access-check`), and nothing is guessed.
import type { STORAGE_CLASSES } from './storage-classes.js';

export type StorageClass = (typeof STORAGE_CLASSES)[number];

/** Which policies of IAM a writer's user can be given there, by the tries that stand behind them; else why it can be given none. */
export type Policies = 'aws' | 'minio' | 'ceph' | 'untried' | { readonly none: string };

export interface ProviderFacts {
  /** As people call it. */
  readonly name: string;
  /** Address of the server, with `{region}` and `{account}` where these stand; null where each store has one of its own. */
  readonly endpoint: string | null;
  /** How an address of its own may look: what to type over. Null where there is no usual one. */
  readonly usualAddress: string | null;
  /** Other hosts of the same service; the group `region` is that of the address. */
  readonly otherHosts: readonly RegExp[];
  /** What `{account}` stands for, and where to read it. */
  readonly account: string | null;
  /** Regions that the address may name, where not any word is one. */
  readonly regionPattern: string;
  /** What requests are signed for where nobody names one; null where it depends on the bucket, or does not matter. */
  readonly defaultRegion: string | null;
  /** Examples, the first one for messages; none where regions mean nothing. */
  readonly regions: readonly string[];
  /** Buckets in the path are what archiver sends to every server but AWS; `both`: they may be in the name of the host, too. */
  readonly addressing: 'path' | 'both';
  /** The list in the program (for each region, or one), or what the config file says. */
  readonly prices: 'by-region' | 'one-list' | 'own';
  readonly classes: readonly StorageClass[] | null;
  readonly versions: boolean | null;
  readonly locks: boolean | null;
  /** A lifecycle rule that ends unfinished uploads. */
  readonly endsUploads: boolean | null;
  readonly policies: Policies;
  /** Of docs/providers.md. */
  readonly anchor: string;
}

/** Of a store that nobody knows anything of. */
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
