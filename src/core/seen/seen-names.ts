// What this computer saw last of the datasets of stores: the keys of version records and tags, for the completion of shells. One file a
// store in the cache folder. A hint: every key of a file is looked at, and one that cannot be used counts as none. A shell waits for what
// is read here, so that it loads no library of schemas.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionTag } from '../dataset/records/tag-key.js';
import { isDatasetId } from '../dataset/records/dataset-id.js';
import { forkSuffix, versionName } from '../dataset/records/version-name.js';
import { comparePlaces, placeIn, type RecordPlace } from '../dataset/records/version-record.js';

export const DATASETS = 'datasets/';
export const SEEN_TYPE = 'archiver-seen-names';
export const SEEN_FORMAT = 1;

/** A store; `server` is the S3-compatible server that it is on: two may have buckets of the same name. */
export interface SeenPlace {
  readonly url: string;
  readonly server: string | undefined;
}

export interface SeenStore extends SeenPlace {
  readonly keys: readonly string[];
}

export interface SeenDataset {
  readonly datasetId: string;
  /** Names of versions such as `v12`, newest first. */
  readonly versions: readonly string[];
  readonly tags: readonly string[];
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);
const ENDING = '.names.json';

/** Path of the file for a store. */
export const seenPath = (folder: string, { url, server = '' }: SeenPlace): string =>
  join(folder, `${digest(url)}.${digest(server)}${ENDING}`);

/** True for the name of such a file. */
export const isSeenFile = (name: string): boolean => name.endsWith(ENDING);

/** What was seen of the store at a URL, on every server that has one. */
export function seenAt(folder: string, url: string): readonly SeenStore[] {
  const start = `${digest(url)}.`;
  return namesIn(folder)
    .filter((name) => name.startsWith(start) && isSeenFile(name))
    .flatMap((name) => readSeen(join(folder, name)) ?? [])
    .filter((seen) => seen.url === url);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was seen yet, or it cannot be read: the same for a hint
  }
}

/** Reads a file; undefined for one that cannot be used. */
export function readSeen(path: string): SeenStore | undefined {
  try {
    const { type, format, url, server, keys } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    if (type !== SEEN_TYPE || format !== SEEN_FORMAT || typeof url !== 'string' || !Array.isArray(keys))
      return undefined;
    const texts = keys.filter((key) => typeof key === 'string');
    return { url, server: typeof server === 'string' ? server : undefined, keys: texts };
  } catch {
    return undefined;
  }
}

/** The place of a record that a key names; undefined for any other key. */
export function recordAt(key: string): RecordPlace | undefined {
  const [, datasetId, name = ''] = /^datasets\/([^/]+)\/([^/]+)$/.exec(key) ?? [];
  return datasetId === undefined || !isDatasetId(datasetId) ? undefined : placeIn(datasetId, name);
}

/** The datasets that these keys belong to, in byte order. Keys that archiver cannot have made are passed over. */
export function datasetsIn(keys: Iterable<string>): readonly SeenDataset[] {
  const found = new Map<string, { readonly records: RecordPlace[]; readonly tags: Set<string> }>();
  const at = (id: string) => {
    const one = found.get(id) ?? { records: [], tags: new Set<string>() };
    found.set(id, one);
    return one;
  };
  for (const key of keys) {
    const tagged = versionTag(key);
    const record = tagged === undefined ? recordAt(key) : undefined;
    if (tagged !== undefined) at(tagged.datasetId).tags.add(tagged.tag);
    else if (record !== undefined) at(record.datasetId).records.push(record);
  }
  return [...found]
    .filter(([, { records }]) => records.length > 0)
    .map(([datasetId, { records, tags }]) => ({ datasetId, versions: namesOf(records), tags: [...tags].sort() }))
    .sort((a, b) => (a.datasetId < b.datasetId ? -1 : 1));
}

function namesOf(records: readonly RecordPlace[]): readonly string[] {
  let position = 0;
  const names = records.toSorted(comparePlaces).map(({ version }, at, sorted) => {
    position = sorted[at - 1]?.version === version ? position + 1 : 0;
    return versionName({ version, fork: forkSuffix(position) });
  });
  return names.toReversed();
}
