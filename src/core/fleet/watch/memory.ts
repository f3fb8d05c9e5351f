// What this computer remembers of a fleet from one look to the next: the instances of each writer (a clone shows only when two of them
// alternate), what configs say that were read, and since when the fleet cannot be seen. It is optional: without it, or when it is
// damaged, watching starts anew.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { changeFile } from '../../platform/state/change-file.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import type { ConfigFacts } from './config-facts.js';
import type { FleetObservation, SeenConfig, WriterObservation } from './observation.js';
import { isSameEtag } from '../../store/same-etag.js';

/** Number of names kept per writer; more would be restarts long ago. */
const NAMES_KEPT = 4;
const MAX_NAME = 100;
/** How long after the last alternation two instances are still reported. */
const CLONE_MS = 86_400_000;

const WRITER = s.schema(() =>
  s.object({
    writerId: s.text,
    /** The latest instance is last. */
    instances: s.listOf(s.text),
    /** The latest host is last; missing in files of earlier releases. */
    hosts: s.optional(s.listOf(s.text)),
    /** When an earlier instance or host came back. */
    turnedAt: s.nullable(s.time),
    configEtag: s.nullable(s.text),
    configVersion: s.nullable(s.count),
    /** Missing in files of earlier releases: the config is then read again. */
    configIntervalMs: s.optional(s.nullable(s.count)),
    configStoreUrl: s.optional(s.nullable(s.text)),
  }),
);
/** Contains also since when the fleet cannot be seen. */
const BODY = s.schema(() => s.object({ unseenSince: s.orNull(s.time), writers: s.listOf(WRITER()) }));
const KIND = { type: 'archiver-fleet-memory', format: 1, noun: 'memory of a fleet', body: BODY };

export type WriterMemory = s.Read<typeof WRITER>;

export interface FleetMemory extends Pick<s.Read<typeof BODY>, 'unseenSince'> {
  readonly writers: ReadonlyMap<string, WriterMemory>;
}

export const NO_MEMORY: FleetMemory = { unseenSince: null, writers: new Map() };

/** Returns the file for the fleet at a base URL, in the folder of local state. */
export const memoryPath = (home: string, baseUrl: string): string =>
  join(home, 'fleet', `${createHash('sha256').update(baseUrl).digest('hex').slice(0, 16)}.json`);

/** Reads the memory; returns an empty one when there is no usable file. @throws access-denied, io */
export async function readMemory(path: string): Promise<FleetMemory> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return NO_MEMORY;
    throw fileFailure('read', path, error);
  }
  try {
    const { unseenSince, writers } = readStateDocument(text, KIND, { path, hint: 'remove it' });
    return { unseenSince, writers: new Map(writers.map((one) => [one.writerId, one])) };
  } catch (error) {
    if (isArchiverError(error, 'integrity', 'unsupported')) return NO_MEMORY;
    throw error;
  }
}

/** Replaces the memory. @throws conflict, access-denied, no-space, io */
export async function saveMemory(path: string, baseUrl: string, memory: FleetMemory): Promise<void> {
  await changeFile(path, 'the memory of the fleet', {
    change: async () => memory,
    encode: ({ unseenSince, writers }) =>
      encodeStateDocument(KIND, { location: baseUrl, unseenSince, writers: [...writers.values()] }),
  });
}

/** Returns the memory after a look. Writers that are gone are forgotten. */
export function remembered({ writers }: FleetObservation, before: FleetMemory, now: Date): FleetMemory {
  const after = writers.map((observed) => rememberedOf(observed, before.writers.get(observed.writerId), now));
  return { unseenSince: null, writers: new Map(after.map((one) => [one.writerId, one])) };
}

function rememberedOf(
  { writerId, seen, config }: WriterObservation,
  before: WriterMemory | undefined,
  now: Date,
): WriterMemory {
  const { instanceId, host } = seen.kind === 'read' ? seen.heartbeat : {};
  const instances = withLatest(before?.instances ?? [], instanceId);
  // Instance ids of agents that are started for each cycle stay the same only on Linux, so hosts are compared as well.
  const hosts = withLatest(before?.hosts ?? [], host);
  return {
    writerId,
    instances: instances.names,
    hosts: hosts.names,
    turnedAt: instances.isBack || hosts.isBack ? now.toISOString() : (before?.turnedAt ?? null),
    ...rememberedConfig(config),
  };
}

const rememberedConfig = (
  config: SeenConfig | undefined,
): Pick<WriterMemory, 'configEtag' | 'configVersion' | 'configIntervalMs' | 'configStoreUrl'> => ({
  configEtag: config?.version === undefined ? null : config.etag,
  configVersion: config?.version ?? null,
  configIntervalMs: config?.intervalMs ?? null,
  configStoreUrl: config?.storeUrl ?? null,
});

/** Adds the latest name, and tells whether it is an earlier one that came back. */
function withLatest(
  known: readonly string[],
  latest: string | undefined,
): { names: readonly string[]; isBack: boolean } {
  if (latest === undefined) return { names: known, isBack: false };
  const name = latest.slice(0, MAX_NAME);
  const others = known.filter((one) => one !== name);
  return { names: [...others, name].slice(-NAMES_KEPT), isBack: name !== known.at(-1) && known.includes(name) };
}

/** True when two instances of it alternated within the last day. */
export const isClonedIn = ({ writers }: FleetMemory, writerId: string, now: Date): boolean => {
  const turnedAt = writers.get(writerId)?.turnedAt ?? null;
  return turnedAt !== null && Math.abs(now.getTime() - Date.parse(turnedAt)) < CLONE_MS;
};

/** Returns what the config with this ETag says, if remembered. */
export function factsIn({ writers }: FleetMemory, writerId: string, etag: string): ConfigFacts | undefined {
  const known = writers.get(writerId);
  if (known === undefined || !isSameEtag(known.configEtag ?? undefined, etag)) return undefined;
  const { configVersion, configIntervalMs: intervalMs, configStoreUrl: storeUrl } = known;
  if (configVersion === null || intervalMs === undefined || storeUrl === undefined) return undefined;
  return { version: configVersion, intervalMs: intervalMs ?? undefined, storeUrl: storeUrl ?? undefined };
}
