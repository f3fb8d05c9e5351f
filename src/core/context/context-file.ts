// `~/.archiver-context`: what `archiver` without a command does, and the stores that were opened last.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../state/replace-file.js';
import { encodeStateDocument, parseStateDocument } from '../state/document.js';
import { systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { Fields } from '../json/json-fields.js';

const KIND = { type: 'archiver-context', format: 1, noun: 'context file' };

/** What `archiver` without a command does. `local`: print help. `repl`: start the shell. */
export const CONTEXT_NAMES = ['local', 'repl'] as const;
export type ContextName = (typeof CONTEXT_NAMES)[number];

/** A store that a screen or a shell was opened on. */
export interface RememberedStore {
  readonly url: string;
  readonly region?: string | undefined;
  readonly endpointUrl?: string | undefined;
}

export interface SavedContext {
  readonly context: ContextName;
  /** The last one first. */
  readonly stores: readonly RememberedStore[];
}

/** Where the file is, from the user's home folder. */
export const contextPath = (userHome: string): string => join(userHome, '.archiver-context');

/** What the file says; undefined when there is none. @throws integrity, unsupported for what is no context file of this version; access-denied, io */
export async function readContext(path: string): Promise<SavedContext | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileFailure('read', path, error);
  }
  const { fields } = parseStateDocument(text, KIND, { path, hint: 'archiver context reset' });
  const name = fields.text('context');
  const context =
    CONTEXT_NAMES.find((known) => known === name) ?? fields.fail('context', `one of ${CONTEXT_NAMES.join(', ')}`);
  return { context, stores: fields.list('stores').map((store) => readStore(store, fields.what)) };
}

function readStore(value: unknown, what: string): RememberedStore {
  const fields = new Fields(value, `a store of ${what}`);
  return {
    url: fields.text('url'),
    region: fields.optionalText('region'),
    endpointUrl: fields.optionalText('endpointUrl'),
  };
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
