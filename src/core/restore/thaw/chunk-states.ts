// Finds out whether chunks can be read now, according to the store. A few are checked one by one (HEAD); for many in one upload the folder
// is listed, 1000 per request. Not every server includes the restore status in listings, and credentials may have no permission to list:
// then each chunk is checked. This only looks: it never requests a chunk from cold storage and costs no more than its own requests.
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { errorText, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { classInTier, isColdClass, TIERING_CLASS } from '../../store/cold-class.js';
import { folderOfKey } from '../../store/ids/upload-id.js';
import { listsByKey } from '../../platform/lists-by-key.js';

/** `cold`: not requested, or its copy has expired. `denied`: these credentials may not check it. */
export type ChunkStateName = 'readable' | 'cold' | 'thawing' | 'missing' | 'denied';

export interface ChunkState {
  /** Key below the base. */
  readonly key: string;
  readonly state: ChunkStateName;
  /** Storage class as the store names it now; the manifest's is a hint. Undefined if the object could not be checked. */
  readonly storageClass?: string;
  /** When the readable copy expires. */
  readonly expiresAt?: Date;
  /** Why it is missing or denied. */
  readonly reason?: string;
}

export interface StateOptions {
  /** The current time: a copy past its expiry is gone. */
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Up to this many chunks are checked with HEAD instead of a listing; also how many are probed to see whether listings have the restore
 * status.
 */
const FEW = 10;
const HEADS_AT_ONCE = 8;

/** Returns the state of each chunk, in the order given. @throws errors of the store, except for a single chunk that is gone or denied */
export async function chunkStates(
  reader: ObjectReader,
  keys: readonly string[],
  options: StateOptions,
): Promise<readonly ChunkState[]> {
  const found = new Map<string, ChunkState>();
  for (const [folder, own] of listsByKey(new Set(keys), folderOfKey)) {
    const states = own.length <= FEW ? undefined : await listed(reader, folder, own, options);
    for (const state of states ?? (await asked(reader, own, options))) found.set(state.key, state);
  }
  return keys.flatMap((key) => found.get(key) ?? []);
}

/** Finds the states by listing; undefined when the store cannot be listed, or does not include the restore status in listings. */
async function listed(
  reader: ObjectReader,
  folder: string,
  keys: readonly string[],
  options: StateOptions,
): Promise<readonly ChunkState[] | undefined> {
  const infos = await infosOf(reader, folder, new Set(keys), options.signal);
  if (infos === undefined) return undefined;
  const silent = keys.filter((key) => {
    const info = infos.get(key);
    return info !== undefined && isColdClass(info.storageClass) && info.restore === undefined;
  });
  // No restore status on any cold object: either none was requested, or this server does not list it.
  const isSilent = silent.length > 0 && ![...infos.values()].some(({ restore }) => restore !== undefined);
  const sample = isSilent ? await asked(reader, silent.slice(0, FEW), options) : [];
  if (sample.some(({ state, expiresAt }) => state !== 'cold' || expiresAt !== undefined)) return undefined;
  // A listing does not tell the tier of its class that an object lies in.
  const isTiered = (key: string): boolean => infos.get(key)?.storageClass === TIERING_CLASS;
  const known = keys.filter((key) => !isTiered(key)).map((key) => stateOf(key, infos.get(key), options.now));
  return [...known, ...(await asked(reader, keys.filter(isTiered), options))];
}

async function infosOf(
  reader: ObjectReader,
  prefix: string,
  wanted: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ObjectInfo> | undefined> {
  const infos = new Map<string, ObjectInfo>();
  const looking = ifAllowed(reader, 'list', prefix, async () => {
    for await (const { objects } of reader.list({ prefix, withRestoreStatus: true, signal })) {
      for (const info of objects) if (wanted.has(info.key)) infos.set(info.key, info);
      if (infos.size === wanted.size) break;
    }
    return infos;
  });
  return await looking.catch(undefinedOn('unsupported'));
}

async function asked(
  reader: ObjectReader,
  keys: readonly string[],
  options: StateOptions,
): Promise<readonly ChunkState[]> {
  const states: ChunkState[] = [];
  await forEachLimit(keys, HEADS_AT_ONCE, async (key) => {
    states.push(await headState(reader, key, options));
  });
  return states;
}

async function headState(reader: ObjectReader, key: string, { now, signal }: StateOptions): Promise<ChunkState> {
  try {
    return stateOf(key, await reader.head(key, signal), now);
  } catch (error) {
    // Each chunk gets the error that the store gave for it.
    if (!isArchiverError(error, 'access-denied')) throw error;
    return { key, state: 'denied', reason: errorText(error) };
  }
}

function stateOf(key: string, info: ObjectInfo | undefined, now: Date): ChunkState {
  if (info === undefined) return { key, state: 'missing', reason: 'there is no such object' };
  const { restore } = info;
  const storageClass = classInTier(info.storageClass, info.archiveTier);
  if (!isColdClass(storageClass)) return { key, state: 'readable', storageClass };
  if (restore === undefined) return { key, state: 'cold', storageClass };
  const { inProgress, expiry } = restore;
  const isExpired = expiry !== undefined && expiry.getTime() <= now.getTime();
  const state = inProgress ? 'thawing' : isExpired ? 'cold' : 'readable';
  return { key, state, storageClass, ...(expiry === undefined ? {} : { expiresAt: expiry }) };
}
