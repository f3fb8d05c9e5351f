// Reads the state of a fleet: one listing of `writers/` (only its folders), one of `fleet/`, a GET for each heartbeat, and then a LIST of the
// records of its writer. A config is read if its writer follows one, once for each ETag.
import { listWriters } from '../../dataset/records/find-places.js';
import { isWriterId } from '../../dataset/records/identity.js';
import type { EventSink } from '../../events/events.js';
import { reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { readAll } from '../../store/read-content.js';
import { formatStoreUrl, parseStoreUrl } from '../../store/store-url.js';
import { printable } from '../../platform/paths/raw-path.js';
import { progressMeter } from '../../events/progress-meter.js';
import { configKey, MAX_CONFIG_BYTES } from '../config/fleet-config.js';
import { heartbeatKey, MAX_HEARTBEAT_BYTES, parseHeartbeat } from '../heartbeat.js';
import type { FleetObservation, SeenConfig, SeenHeartbeat, SeenStore, WriterObservation } from './observation.js';
import { type ConfigFacts, configFactsOf } from './config-facts.js';
import { claimsOf, readStored } from './stored.js';

/** Concurrent GETs of small objects: as many as a store takes from one client without asking it to slow down. */
export const REQUESTS_AT_ONCE = 32;
/** Limit of listed names, because a mistyped base may contain anything. */
const MAX_LISTED = 200_000;
/** After so many consecutive failures the store is considered unreachable, rather than single writers. */
const LOST_IN_ROW = 64;
const CONFIG = /^fleet\/([^/]+)\/config\.yaml$/;

export interface ReadFleetOptions {
  /** Returns what a config says that was read before. */
  readonly knownFacts: (writerId: string, etag: string) => ConfigFacts | undefined;
  readonly now: () => Date;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Reads the state of the fleet. @throws access-denied when `writers/` may not be listed, not-found where there is no fleet, store, stalled,
 * cancelled
 */
export async function readFleet(store: ObjectStore, options: ReadFleetOptions): Promise<FleetObservation> {
  const { emit, signal, now } = options;
  emit({ type: 'phase', phase: 'listing' });
  const [storeTime, named, configs] = await Promise.all([
    // For a folder, this computer's clock is nearly always right; asking the folder would write a file there.
    parseStoreUrl(store.url).kind === 'file' ? now() : store.time(signal),
    listWriterIds(store, signal),
    listConfigs(store, signal),
  ]);
  const ids = [...new Set([...named.ids, ...configs.found.keys()])].toSorted();
  if (ids.length === 0)
    throw new ArchiverError(
      'not-found',
      `there is no fleet at ${printable(store.url)}: neither writers/ nor fleet/ has a writer`,
      {
        hint: 'give the base of the fleet, which has writers/ right below it',
      },
    );
  emit({ type: 'phase', phase: 'reading' });
  emit({ type: 'plan', items: ids.length, bytes: 0 });
  const meter = progressMeter(emit);
  const reach = new Reach();
  const sights = new Map<string, WriterObservation>();
  const known = new Set(named.ids);
  await forEachLimit(ids, REQUESTS_AT_ONCE, async (writerId) => {
    const config = configs.found.get(writerId);
    const seen: SeenHeartbeat = known.has(writerId)
      ? await reach.of(readHeartbeat(store, writerId, signal), signal)
      : { kind: 'none' };
    const read = config && (await withFacts(store, writerId, { seen, config }, options));
    const stored = await storedBy(store, writerId, { seen, config: read }, signal);
    sights.set(writerId, { writerId, seen, config: read, stored });
    meter.add(1, 0);
  });
  meter.finish();
  reach.check();
  const all = ids.flatMap((id) => sights.get(id) ?? []);
  const isOther = ({ seen, config }: WriterObservation): boolean => seen.kind === 'none' && config === undefined;
  return {
    storeTime,
    writers: all.filter((one) => !isOther(one)),
    others: all.filter(isOther).map(({ writerId }) => writerId),
    odd: [...named.odd, ...configs.odd],
    configsUnknown: configs.unknown,
  };
}

interface ListedWriters {
  readonly ids: readonly string[];
  /** Folders that no writer can have. */
  readonly odd: readonly string[];
}

async function listWriterIds(reader: ObjectReader, signal: AbortSignal): Promise<ListedWriters> {
  const { places, odd } = await listWriters(reader, signal, (count) => refuseMore(count, `${reader.url}/writers/`));
  return { ids: places.map((place) => place.slice('writers/'.length)), odd };
}

interface ListedConfigs {
  readonly found: ReadonlyMap<string, SeenConfig>;
  /** Configs of nobody who can be a writer. */
  readonly odd: readonly string[];
  readonly unknown: string | undefined;
}

async function listConfigs(reader: ObjectReader, signal: AbortSignal): Promise<ListedConfigs> {
  const top = 'fleet/';
  const found = new Map<string, SeenConfig>();
  const odd: string[] = [];
  let seen = 0;
  try {
    for await (const { objects } of reader.list({ prefix: top, signal })) {
      for (const { key, etag, lastModified } of objects) {
        const [, id] = CONFIG.exec(key) ?? [];
        if (id !== undefined && isWriterId(id)) found.set(id, { etag, putAt: lastModified, version: undefined });
        else if (id !== undefined || !isWellFormedKey(key.replace(/\/$/, ''))) odd.push(key);
      }
      refuseMore((seen += objects.length), `${reader.url}/${top}`);
    }
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
    return { found: new Map(), odd, unknown: reasonText(error) };
  }
  return { found, odd, unknown: undefined };
}

function refuseMore(count: number, place: string): void {
  if (count <= MAX_LISTED) return;
  throw new ArchiverError('unsupported', `${printable(place)} has more than ${MAX_LISTED} names: that is no fleet`, {
    hint: 'give the base of the fleet, which has writers/ and fleet/ right below it',
  });
}

async function readHeartbeat(reader: ObjectReader, writerId: string, signal: AbortSignal): Promise<SeenHeartbeat> {
  let putAt: Date | undefined;
  try {
    const content = await reader.get(heartbeatKey(writerId), { signal });
    putAt = content.lastModified;
    const bytes = await readAll(content, MAX_HEARTBEAT_BYTES);
    const heartbeat = parseHeartbeat(bytes);
    if (heartbeat.writerId !== writerId)
      return { kind: 'unreadable', reason: `the heartbeat is that of writer ${heartbeat.writerId}`, putAt };
    if (putAt === undefined || Number.isNaN(putAt.getTime()))
      return { kind: 'unreadable', reason: 'the store does not say when the heartbeat was put', putAt: undefined };
    return { kind: 'read', heartbeat, putAt };
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return { kind: 'none' };
    if (!isArchiverError(error) || error.code === 'cancelled' || isAway(error)) throw error;
    return { kind: 'unreadable', reason: error.message, putAt };
  }
}

const isAway = (error: unknown): boolean => isArchiverError(error, 'store', 'stalled', 'io');

/** Distinguishes single heartbeats that cannot be read from a store that cannot be reached. */
class Reach {
  private answered = 0;
  private lostInRow = 0;
  private lost: unknown;

  async of(reading: Promise<SeenHeartbeat>, signal: AbortSignal): Promise<SeenHeartbeat> {
    try {
      const seen = await reading;
      this.answered++;
      this.lostInRow = 0;
      return seen;
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      this.lost = error;
      if (++this.lostInRow >= LOST_IN_ROW) throw error;
      return { kind: 'unreadable', reason: reasonText(error), putAt: undefined };
    }
  }

  /** @throws when none could be read */
  check(): void {
    if (this.answered === 0 && this.lost !== undefined) throw this.lost;
  }
}

/** Adds what the config says, if its writer follows one, and it can be read. */
async function withFacts(
  reader: ObjectReader,
  writerId: string,
  { seen, config }: { readonly seen: SeenHeartbeat; readonly config: SeenConfig },
  { knownFacts, signal }: ReadFleetOptions,
): Promise<SeenConfig> {
  const known = knownFacts(writerId, config.etag);
  if (known !== undefined) return { ...config, ...known };
  if (seen.kind !== 'read' || seen.heartbeat.configVersion === null) return config;
  const content = await reader
    .get(configKey(writerId), { signal })
    .catch(undefinedOn('not-found', 'access-denied', 'store', 'stalled', 'io'));
  if (content === undefined) return config;
  const bytes = await readAll(content, MAX_CONFIG_BYTES).catch(undefinedOn('integrity', 'store', 'stalled', 'io'));
  return bytes === undefined || content.etag !== config.etag ? config : { ...config, ...configFactsOf(bytes) };
}

/** Looks at what a writer has stored, after its heartbeat was read: what that speaks of is there by then. */
async function storedBy(
  store: ObjectReader,
  writerId: string,
  { seen, config }: { readonly seen: SeenHeartbeat; readonly config: SeenConfig | undefined },
  signal: AbortSignal,
): Promise<SeenStore | undefined> {
  if (seen.kind === 'none') return undefined;
  const url = config?.storeUrl;
  if (url !== undefined && !isSamePlace(url, store.url)) return { kind: 'elsewhere', url };
  try {
    return await readStored(store, writerId, seen.kind === 'read' ? claimsOf(seen.heartbeat) : [], signal);
  } catch (error) {
    if (signal.aborted || !isAway(error)) throw error;
    return { kind: 'unseen', reason: reasonText(error) };
  }
}

/** True for two URLs of one place; one that cannot be parsed is no place of ours. */
function isSamePlace(url: string, other: string): boolean {
  try {
    return formatStoreUrl(parseStoreUrl(url)) === formatStoreUrl(parseStoreUrl(other));
  } catch (error) {
    if (isArchiverError(error)) return false;
    throw error;
  }
}
