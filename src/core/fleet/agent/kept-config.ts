// Keeps the last config that an agent has accepted, with its signature, on this computer: the agent continues with it when a newer one is
// refused or cannot be fetched, also after a restart, and compares versions with it.
import { readFile } from 'node:fs/promises';
import * as s from '../../platform/documents/schema.js';
import { undefinedOn } from '../../platform/failures/errors.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { fileFailure } from '../../platform/failures/file-failure.js';

const BODY = s.schema(() => s.object({ config: s.base64, signature: s.base64 }));
const KIND = { type: 'archiver-fleet-config', format: 1, noun: 'kept config', body: BODY };

/** A config and its signature as they were fetched. */
export interface SignedConfig {
  readonly bytes: Buffer;
  readonly signature: Buffer;
}

export interface KeptConfig {
  /** Returns undefined when none is kept. @throws integrity, unsupported for a damaged file or a newer one; io */
  read(): Promise<SignedConfig | undefined>;
  /** @throws access-denied, no-space, io */
  write(config: SignedConfig): Promise<void>;
}

/** Opens the kept config at `path`, which has no extension. */
export function keptConfig(path: string): KeptConfig {
  const file = `${path}.config.json`;
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch(undefinedOn('ENOENT'));
      if (text === undefined) return undefined;
      const hint = 'remove it: the config is fetched again';
      const { config, signature } = readStateDocument(text, KIND, { path: file, hint });
      return { bytes: config, signature };
    },
    async write({ bytes, signature }) {
      const body = { config: bytes.toString('base64'), signature: signature.toString('base64') };
      try {
        await replaceFile(file, encodeStateDocument(KIND, body));
      } catch (error) {
        throw fileFailure('write', file, error);
      }
    },
  };
}
