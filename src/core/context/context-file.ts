// `~/.archiver-context`: what `archiver` without a command does, and the stores that were opened last.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../platform/state/replace-file.js';
import { encodeStateDocument, readStateDocument } from '../platform/state/document.js';
import { systemCode } from '../platform/failures/errors.js';
import { fileFailure } from '../platform/failures/file-failure.js';
import * as s from '../platform/documents/schema.js';

/** Names of the contexts, which decide what `archiver` without a command does. `local`: print help. `repl`: start the shell. */
export const CONTEXT_NAMES = ['local', 'repl'] as const;
export type ContextName = (typeof CONTEXT_NAMES)[number];

const BODY = s.schema(() =>
  s.object({
    context: s.oneOf(CONTEXT_NAMES),
    /** The most recent one first. */
    stores: s.listOf(s.object({ url: s.text, region: s.optional(s.text), endpointUrl: s.optional(s.text) })),
  }),
);
const KIND = { type: 'archiver-context', format: 1, noun: 'context file', body: BODY };

export type SavedContext = s.Read<typeof BODY>;
/** A store that a screen or a shell was opened on. */
export type RememberedStore = SavedContext['stores'][number];

/** Returns the path of the file in the user's home folder. */
export const contextPath = (userHome: string): string => join(userHome, '.archiver-context');

/**
 * Reads the file; undefined when there is none. @throws integrity, unsupported when it is not a context file of this version;
 * access-denied, io
 */
export async function readContext(path: string): Promise<SavedContext | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileFailure('read', path, error);
  }
  return readStateDocument(text, KIND, { path, hint: 'archiver context reset' });
}

/** Writes the file. @throws access-denied, io */
export async function writeContext(path: string, saved: SavedContext): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, encodeStateDocument(KIND, saved));
  } catch (error) {
    throw fileFailure('write', path, error);
  }
}

/** Removes the file; false when there was none. @throws access-denied, io */
export async function removeContext(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw fileFailure('remove', path, error);
  }
}
