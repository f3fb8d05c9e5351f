// Notes what commands list and put below `datasets/` of a store anyway, and keeps it when the store is closed. Nothing is asked of
// a store for it, and nothing that a command does depends on it: where it cannot be kept, completion knows less.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOMBSTONE_BYTES } from '../dataset/records/tombstone-bytes.js';
import { versionTag } from '../dataset/records/tag-key.js';
import { addTo } from '../platform/lists-by-key.js';
import type { ListOptions, ListPage, ObjectInfo } from '../store/object-store.js';
import type { OpenedStore } from '../store/open-store.js';
import {
  DATASETS,
  isSeenFile,
  readSeen,
  recordAt,
  SEEN_FORMAT,
  SEEN_TYPE,
  seenPath,
  type SeenPlace,
} from './seen-names.js';

/** Keys of a store that are kept; of more, each dataset keeps its newest. One takes some 50 bytes. */
const MOST_KEYS = 20_000;
const MOST_STORES = 64;

type Change = (keys: Set<string>) => void;

/** Returns the store with everything noted; `folder` is the cache folder of this computer. */
export function notingNames(opened: OpenedStore, folder: string): OpenedStore {
  const { store, servers } = opened;
  const changes: Change[] = [];
  const place: SeenPlace = { url: store.url, server: servers?.store ?? undefined };
  return {
    ...opened,
    store: {
      ...store,
      list: (options) => noted(store.list(options), options, changes),
      async put(key, body, options) {
        const result = await store.put(key, body, options);
        if (key.startsWith(DATASETS)) changes.push((keys) => put(keys, { key, sizeBytes: body.byteLength }));
        return result;
      },
    },
    close() {
      opened.close();
      if (changes.length > 0) keep(folder, place, changes.splice(0));
    },
  };
}

type Listed = Pick<ObjectInfo, 'key' | 'sizeBytes'>;

/** A retired version stays as a tombstone under the key of its record. */
function put(keys: Set<string>, { key, sizeBytes }: Listed): void {
  if (versionTag(key) !== undefined || (recordAt(key) !== undefined && sizeBytes !== TOMBSTONE_BYTES)) keys.add(key);
  else keys.delete(key);
}

async function* noted(
  pages: AsyncIterable<ListPage>,
  { prefix = '', delimiter, startAfter = '' }: ListOptions = {},
  changes: Change[],
): AsyncGenerator<ListPage> {
  const isAbout = prefix.startsWith(DATASETS) || (DATASETS.startsWith(prefix) && delimiter === undefined);
  const listed: Listed[] = [];
  for await (const page of pages) {
    if (isAbout)
      for (const { key, sizeBytes } of page.objects) if (key.startsWith(DATASETS)) listed.push({ key, sizeBytes });
    yield page;
  }
  if (!isAbout) return;
  changes.push((keys) => {
    // What a whole listing does not have is gone.
    if (delimiter === undefined)
      for (const key of keys) if (key.startsWith(prefix) && key > startAfter) keys.delete(key);
    for (const one of listed) put(keys, one);
  });
}

function keep(folder: string, place: SeenPlace, changes: readonly Change[]): void {
  const path = seenPath(folder, place);
  const before = readSeen(path)?.keys ?? [];
  const keys = new Set(before);
  for (const change of changes) change(keys);
  const kept = newestOf([...keys].sort());
  if (kept.length === before.length && kept.every((key, at) => key === before[at])) return;
  const { url, server = null } = place;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (before.length === 0) makeRoom(folder);
    replace(path, `${JSON.stringify({ type: SEEN_TYPE, format: SEEN_FORMAT, url, server, keys: kept })}\n`);
  } catch {
    // A full disk or a home that may not be written to: it is a hint, and what cannot be kept of use is said by the manifest cache.
  }
}

/** Byte order of keys is the order of versions within a dataset, up to eight digits. */
function newestOf(keys: readonly string[]): readonly string[] {
  if (keys.length <= MOST_KEYS) return keys;
  const folders = new Map<string, string[]>();
  for (const key of keys) addTo(folders, key.slice(0, key.lastIndexOf('/')), key);
  const most = Math.max(1, Math.floor(MOST_KEYS / folders.size));
  return [...folders.values()]
    .flatMap((own) => own.slice(-most))
    .slice(0, MOST_KEYS)
    .sort();
}

/** As `replaceFile`, without waiting for the disk: stores are closed in one step. */
function replace(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function makeRoom(folder: string): void {
  const files = readdirSync(folder)
    .filter(isSeenFile)
    .map((name) => join(folder, name));
  const byAge = files.map((path) => ({ path, at: statSync(path).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const { path } of byAge.slice(MOST_STORES - 1)) rmSync(path, { force: true });
}
