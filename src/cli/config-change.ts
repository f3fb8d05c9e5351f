// Changes the config file for `archiver setup`: chooses the file, composes its text, and writes it unless someone else has changed it.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { changedConfig, type ConfigChanges, type SettingValue } from '../core/config/change-config.js';
import { configPlaces, isOfFolder } from '../core/config/config-places.js';
import { problemText } from '../core/config/load-config.js';
import { parseConfig } from '../core/config/parse-config.js';
import { ArchiverError, undefinedOn, usageError } from '../core/platform/failures/errors.js';
import { fileFailure } from '../core/platform/failures/file-failure.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { replaceFile } from '../core/platform/state/replace-file.js';
import { decodeUtf8 } from '../core/platform/text/strict-utf8.js';
import { allProblems } from './config-problems.js';
import { configSchema } from './config-tree.js';
import type { Context } from './context.js';

type Surroundings = Pick<Context, 'env' | 'userHome' | 'cwd' | 'tree'>;

export interface OpenConfig {
  readonly path: string;
  /** Undefined if there is no file yet. */
  readonly bytes: Buffer | undefined;
  readonly text: string;
  /** Settings by dotted key, as they would be typed. */
  readonly settings: ReadonlyMap<string, string>;
}

/**
 * Opens the file to change: the named one, or else the first of this user that exists, or else the one in the home folder. @throws usage
 * for an invalid file, io
 */
export async function openConfig(named: string | undefined, around: Surroundings): Promise<OpenConfig> {
  const { paths } = configPlaces(around);
  const own = paths.filter((path) => !isOfFolder(path, around));
  const candidates = named === undefined ? own : [resolve(around.cwd, named)];
  for (const path of candidates) {
    const bytes = await readIfThere(path);
    if (bytes !== undefined) return await parsedFile(path, bytes, around);
  }
  const path = candidates[0] ?? join(around.userHome, '.archiver.yaml');
  return { path, bytes: undefined, text: '', settings: new Map() };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path).catch(undefinedOn('ENOENT'));
  } catch (error) {
    throw fileFailure('read', path, error);
  }
}

async function parsedFile(path: string, bytes: Buffer, { tree }: Surroundings): Promise<OpenConfig> {
  const schema = configSchema(tree());
  const parsed = await parseConfig(bytes, schema);
  const [problem] = allProblems(schema, parsed);
  const decoded = decodeUtf8(bytes);
  if (problem !== undefined || !decoded.ok)
    throw usageError(
      problem === undefined ? `${printable(path)} is no text` : problemText(path, problem),
      'it is not changed before it is valid: archiver config --edit',
    );
  const settings = new Map(parsed.settings.map(({ key, texts }) => [key, texts.at(-1) ?? '']));
  return { path, bytes, text: decoded.text, settings };
}

/**
 * Returns the text with these settings. It removes keys that would say the same or contradict them: `defaults.region` beside `aws.region`,
 * and the bucket beside a URL. @throws internal if the result would not be valid
 */
export async function composeConfig(
  { path, text, settings }: OpenConfig,
  values: Readonly<Record<string, SettingValue | undefined>>,
  { tree }: Surroundings,
): Promise<string> {
  const changes: Map<string, SettingValue | undefined> = new Map(Object.entries(values));
  const schema = configSchema(tree());
  for (const [section, names] of Object.entries(schema.shared))
    for (const name of names)
      if (changes.get(`${section}.${name}`) !== undefined && settings.has(`defaults.${name}`))
        changes.set(`defaults.${name}`, undefined);
  if (changes.has('storage.url')) for (const key of ['storage.bucket', 'storage.prefix']) changes.set(key, undefined);
  const after = await changedConfig(text, changes satisfies ConfigChanges);
  const [problem] = allProblems(schema, await parseConfig(Buffer.from(after), schema));
  if (problem !== undefined) throw new ArchiverError('internal', problemText(path, problem));
  return after;
}

/** Replaces the file atomically. @throws conflict if it was changed since it was opened; access-denied, no-space, io */
export async function writeConfig({ path, bytes }: OpenConfig, text: string): Promise<void> {
  const now = await readIfThere(path);
  const isSame = now === undefined || bytes === undefined ? now === bytes : now.equals(bytes);
  if (!isSame)
    throw new ArchiverError(
      'conflict',
      `${printable(path)} was changed by someone else meanwhile and is left as it is`,
      {
        hint: 'archiver setup',
      },
    );
  await replaceFile(path, text).catch((error: unknown) => {
    throw fileFailure('write', path, error);
  });
}
