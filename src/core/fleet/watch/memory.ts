// What this computer remembers of a fleet from one look to the next: which instances each writer had (a clone shows only when two
// of them take turns), the versions of configs that were read, and since when the fleet cannot be seen. It is a hint: without it,
// or when it is damaged, watching starts anew.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { changeFile } from '../../platform/state/change-file.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import type { FleetObservation, WriterObservation } from './observation.js';
import { isSameEtag } from '../../store/same-etag.js';

/** Of a writer; more are restarts long ago. */
const NAMES_KEPT = 4;
const MAX_NAME = 100;
/** Two that took turns are told of for so long after the last turn. */
const CLONE_MS = 86_400_000;

const WRITER = s.schema(() =>
  s.object({
    writerId: s.text,
    /** The latest instance last. */
    instances: s.listOf(s.text),
    /** The latest host last; none in a file of an earlier release. */
    hosts: s.optional(s.listOf(s.text)),
    /** When an earlier instance or host came back. */
    turnedAt: s.nullable(s.time),
    configEtag: s.nullable(s.text),
    configVersion: s.nullable(s.count),
  }),
);
/** Since when nothing of the fleet can be seen, and what is known of its writers. */
const BODY = s.schema(() => s.object({ unseenSince: s.orNull(s.time), writers: s.listOf(WRITER()) }));
const KIND = { type: 'archiver-fleet-memory', format: 1, noun: 'memory of a fleet', body: BODY };

export type WriterMemory = s.Read<typeof WRITER>;

export interface FleetMemory extends Pick<s.Read<typeof BODY>, 'unseenSince'> {
  readonly writers: ReadonlyMap<string, WriterMemory>;
}

export const NO_MEMORY: FleetMemory = { unseenSince: null, writers: new Map() };

/** The file for the fleet at a base, in the folder of local state. */
export const memoryPath = (home: string, baseUrl: string): string =>
  join(home, 'fleet', `${createHash('sha256').update(baseUrl).digest('hex').slice(0, 16)}.json`);

/** What is remembered; nothing where there is no file, or one that cannot be used. @throws access-denied, io */
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

/** Replaces what is remembered. @throws conflict, access-denied, no-space, io */
export async function saveMemory(path: string, baseUrl: string, memory: FleetMemory): Promise<void> {
  await changeFile(path, 'the memory of the fleet', {
    change: async () => memory,
    encode: ({ unseenSince, writers }) =>
      encodeStateDocument(KIND, { location: baseUrl, unseenSince, writers: [...writers.values()] }),
  });
}

/** What is remembered after a look. Writers that are gone are forgotten. */
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
  const instances = turned(before?.instances ?? [], instanceId);
  // An agent that is started for each cycle has an id twice on Linux only.
  const hosts = turned(before?.hosts ?? [], host);
  return {
    writerId,
    instances: instances.names,
    hosts: hosts.names,
    turnedAt: instances.isBack || hosts.isBack ? now.toISOString() : (before?.turnedAt ?? null),
    configEtag: config?.version === undefined ? null : config.etag,
    configVersion: config?.version ?? null,
  };
}

/** What is known after `latest` was seen, and whether that was another one before which has come back. */
function turned(known: readonly string[], latest: string | undefined): { names: readonly string[]; isBack: boolean } {
  if (latest === undefined) return { names: known, isBack: false };
  const name = latest.slice(0, MAX_NAME);
  const others = known.filter((one) => one !== name);
  return { names: [...others, name].slice(-NAMES_KEPT), isBack: name !== known.at(-1) && known.includes(name) };
}

/** Two instances of it took turns within the last day. */
export const isClonedIn = ({ writers }: FleetMemory, writerId: string, now: Date): boolean => {
  const turnedAt = writers.get(writerId)?.turnedAt ?? null;
  return turnedAt !== null && Math.abs(now.getTime() - Date.parse(turnedAt)) < CLONE_MS;
};

/** The version of the config with this ETag. */
export const versionIn = ({ writers }: FleetMemory, writerId: string, etag: string): number | undefined => {
  const known = writers.get(writerId);
  return isSameEtag(known?.configEtag ?? undefined, etag) ? (known?.configVersion ?? undefined) : undefined;
};
