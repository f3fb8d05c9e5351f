// Whether chunks can be read now, as the store says. Few are asked for one by one (HEAD); of many in one upload the folder
// is listed, 1000 in a request. Not every server lists what was asked back, and credentials may have no permission to list at all: then
// each chunk is asked for. This only looks; it never asks anything back and never costs more than its requests.
import { atOnce } from '../limits/at-once.js';
import { errorText, isArchiverError } from '../failures/errors.js';
import { ifAllowed } from '../object-store/abilities.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';
import { isColdClass } from '../cost/cold-class.js';

/** `cold`: nobody asked for it, or its copy has expired. `denied`: these credentials may not look. */
export type ChunkStateName = 'readable' | 'cold' | 'thawing' | 'missing' | 'denied';

export interface ChunkState {
  /** Below the base. */
  readonly key: string;
  readonly state: ChunkStateName;
  /** As the store names it now; the manifest's is a hint. Undefined where the object was not seen. */
  readonly storageClass?: string;
  /** Until when the readable copy stays. */
  readonly expiresAt?: Date;
  /** Why it is missing or denied. */
  readonly reason?: string;
}

export interface StateOptions {
  /** The present moment: a copy that is past its expiry is gone. */
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
}

/** HEADs rather than a listing; also how many are asked for to see whether a listing tells what was asked back. */
const FEW = 10;
const HEADS_AT_ONCE = 8;

/** The state of each of these chunks, in the order given. @throws what the store says, but not for a single chunk that is gone or denied */
export async function chunkStates(
  reader: ObjectReader,
  keys: readonly string[],
  options: StateOptions,
): Promise<readonly ChunkState[]> {
  const found = new Map<string, ChunkState>();
  for (const [folder, own] of byUpload(keys)) {
    const states = own.length <= FEW ? undefined : await listed(reader, folder, own, options);
    for (const state of states ?? (await asked(reader, own, options))) found.set(state.key, state);
  }
  return keys.flatMap((key) => found.get(key) ?? []);
}

/** `uploads/<id>/` and what is needed of it. */
function byUpload(keys: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const key of new Set(keys)) {
    const folder = `${key.split('/', 2).join('/')}/`;
    const own = folders.get(folder);
    if (own === undefined) folders.set(folder, [key]);
    else own.push(key);
  }
  return folders;
}

/** Undefined when the store cannot be listed, or does not tell there what was asked back. */
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
  // Nothing said of any cold object: either none was asked back, or this server does not say.
  const isSilent = silent.length > 0 && ![...infos.values()].some(({ restore }) => restore !== undefined);
  const sample = isSilent ? await asked(reader, silent.slice(0, FEW), options) : [];
  if (sample.some(({ state, expiresAt }) => state !== 'cold' || expiresAt !== undefined)) return undefined;
  return keys.map((key) => stateOf(key, infos.get(key), options.now));
}

async function infosOf(
  reader: ObjectReader,
  prefix: string,
  wanted: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ObjectInfo> | undefined> {
  const infos = new Map<string, ObjectInfo>();
  try {
    return await ifAllowed(reader, 'list', prefix, async () => {
      for await (const { objects } of reader.list({ prefix, withRestoreStatus: true, ...(signal && { signal }) })) {
        for (const info of objects) if (wanted.has(info.key)) infos.set(info.key, info);
        if (infos.size === wanted.size) break;
      }
      return infos;
    });
  } catch (error) {
    if (isArchiverError(error, 'unsupported')) return undefined;
    throw error;
  }
}

async function asked(
  reader: ObjectReader,
  keys: readonly string[],
  options: StateOptions,
): Promise<readonly ChunkState[]> {
  const states: ChunkState[] = [];
  await atOnce(keys, HEADS_AT_ONCE, async (key) => {
    states.push(await headState(reader, key, options));
  });
  return states;
}

async function headState(reader: ObjectReader, key: string, { now, signal }: StateOptions): Promise<ChunkState> {
  try {
    return stateOf(key, await reader.head(key, signal), now);
  } catch (error) {
    // Of each chunk it is told what the store said of it.
    if (!isArchiverError(error, 'access-denied')) throw error;
    return { key, state: 'denied', reason: errorText(error) };
  }
}

function stateOf(key: string, info: ObjectInfo | undefined, now: Date): ChunkState {
  if (info === undefined) return { key, state: 'missing', reason: 'there is no such object' };
  const { storageClass, restore } = info;
  if (!isColdClass(storageClass)) return { key, state: 'readable', storageClass };
  if (restore === undefined) return { key, state: 'cold', storageClass };
  const { inProgress, expiry } = restore;
  const isExpired = expiry !== undefined && expiry.getTime() <= now.getTime();
  const state = inProgress ? 'thawing' : isExpired ? 'cold' : 'readable';
  return { key, state, storageClass, ...(expiry === undefined ? {} : { expiresAt: expiry }) };
}
