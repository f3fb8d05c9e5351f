// What an agent remembers from one process to the next: its last heartbeat, so that it can still report when a source last succeeded, and
// the highest version of a config that it used, and what its sources were. It is optional: without it only these are unknown. Beside it is
// the answer of an operator to what was found, until the agent takes it.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import * as s from '../../platform/documents/schema.js';
import { errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { type Heartbeat, HEARTBEAT } from '../heartbeat.js';
import { WATCHED, type Watched } from './watched-source.js';

const BODY = s.schema(() =>
  s.object({ heartbeat: HEARTBEAT(), newestConfig: s.count, watched: s.optional(s.listOf(WATCHED())) }),
);
const KIND = { type: 'archiver-agent', format: 1, noun: 'memory of an agent', body: BODY };
/** Paths of sources that are taken as they are; null for all. */
const ANSWER = s.schema(() => s.object({ sources: s.orNull(s.listOf(s.text)) }));
const ANSWER_KIND = { type: 'archiver-agent-answer', format: 1, noun: 'answer to an agent', body: ANSWER };
export type AgentAnswer = s.Read<typeof ANSWER>;

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
  /** What is remembered of its sources. */
  watched(): Promise<readonly Watched[]>;
  write(heartbeat: Heartbeat, watched: readonly Watched[]): Promise<void>;
  /** Takes the answer of an operator away and returns it; undefined when there is none. */
  takeAnswer(): Promise<AgentAnswer | undefined>;
  /** Leaves an answer for the next cycle of the agent. @throws what the system says */
  leaveAnswer(answer: AgentAnswer): Promise<void>;
}

/** Opens the memory at `path`, as `agentPath` returns it. Failures to read or write it are passed to `onTrouble`. */
export function agentMemory(path: string, onTrouble: (text: string) => void): AgentMemory {
  const file = `${path}.json`;
  const answerFile = `${path}.answer.json`;
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
    watched: async () => (await read())?.watched ?? [],
    async takeAnswer() {
      try {
        const answer = readStateDocument(await readFile(answerFile, 'utf8'), ANSWER_KIND, {
          path: answerFile,
          hint: '',
        });
        await rm(answerFile);
        return answer;
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        if (!isArchiverError(error) && systemCode(error) === undefined) throw error;
        onTrouble(`the answer of the operator is not taken: ${errorText(error)}`);
        return undefined;
      }
    },
    leaveAnswer: async (answer) => await replaceFile(answerFile, encodeStateDocument(ANSWER_KIND, answer)),
    async write(heartbeat, watched) {
      newest = Math.max(newest, heartbeat.configVersion ?? 0);
      try {
        await replaceFile(file, encodeStateDocument(KIND, { heartbeat, newestConfig: newest, watched }));
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
        onTrouble(`what this agent did cannot be remembered: ${errorText(error)}`);
      }
    },
  };
}
