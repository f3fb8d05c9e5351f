// What an agent remembers from one process to the next: its last heartbeat, so that it can still report when a source last succeeded, and
// the highest version of a config that it used. It is optional: without it only these are unknown.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import * as s from '../../platform/documents/schema.js';
import { errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { type Heartbeat, HEARTBEAT } from '../heartbeat.js';

const BODY = s.schema(() => s.object({ heartbeat: HEARTBEAT(), newestConfig: s.count }));
const KIND = { type: 'archiver-agent', format: 1, noun: 'memory of an agent', body: BODY };

/** Returns the path, without an extension, of an agent's files for one writer of one fleet, below archiver's own folder. */
export function agentPath(home: string, { baseUrl, writerId }: { baseUrl: string; writerId: string }): string {
  const place = createHash('sha256').update(`${baseUrl}\n${writerId}`).digest('hex').slice(0, 8);
  return join(home, 'agents', `${writerId}-${place}`);
}

export interface AgentMemory {
  /** The last heartbeat; undefined when there is none that can be used. */
  read(): Promise<Heartbeat | undefined>;
  /** The highest version of a config that was ever in use; undefined when not known. */
  newestConfig(): Promise<number | undefined>;
  write(heartbeat: Heartbeat): Promise<void>;
}

/** Opens the memory at `path`, as `agentPath` returns it. Failures to read or write it are passed to `onTrouble`. */
export function agentMemory(path: string, onTrouble: (text: string) => void): AgentMemory {
  const file = `${path}.json`;
  let newest = 0;
  const read = async (): Promise<s.Read<typeof BODY> | undefined> => {
    try {
      const found = readStateDocument(await readFile(file, 'utf8'), KIND, { path: file, hint: '' });
      newest = Math.max(newest, found.newestConfig);
      return { ...found, newestConfig: newest };
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      onTrouble(`${errorText(error)}: it counts as nothing`);
      if (isArchiverError(error) || systemCode(error) !== undefined) return undefined;
      throw error;
    }
  };
  return {
    read: async () => (await read())?.heartbeat,
    newestConfig: async () => (await read())?.newestConfig,
    async write(heartbeat) {
      newest = Math.max(newest, heartbeat.configVersion ?? 0);
      try {
        await replaceFile(file, encodeStateDocument(KIND, { heartbeat, newestConfig: newest }));
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
        onTrouble(`what this agent did cannot be remembered: ${errorText(error)}`);
      }
    },
  };
}
