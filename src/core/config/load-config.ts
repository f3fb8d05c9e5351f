// Finds and reads the config file. The file is never written here.
import { usageError, systemCode, ArchiverError, errorText } from '../errors.js';
import { configPlaces, type ConfigSurroundings } from './config-places.js';
import type { ConfigSchema } from './config-schema.js';
import { parseConfig, type ConfigProblem, type ParsedConfig } from './parse-config.js';

export interface ConfigFile extends ParsedConfig {
  readonly path: string;
  readonly text: string;
}

export type ReadText = (path: string) => Promise<string>;

async function readIfThere(path: string, readText: ReadText): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason =
      code === 'EACCES' ? 'no permission to read it' : code === 'EISDIR' ? 'it is a folder' : errorText(error);
    throw new ArchiverError('io', `the config file ${path} cannot be read: ${reason}`, { cause: error, exitCode: 2 });
  }
}

/** The config file that counts, parsed; undefined when there is none. `named` (from --file) replaces the search. */
export async function loadConfig(
  surroundings: ConfigSurroundings,
  schema: ConfigSchema,
  readText: ReadText,
  named?: string,
): Promise<ConfigFile | undefined> {
  const places = named === undefined ? configPlaces(surroundings) : { paths: [named], isNamed: true };
  for (const path of places.paths) {
    const text = await readIfThere(path, readText);
    if (text !== undefined) return { path, text, ...(await parseConfig(text, schema)) };
  }
  if (!places.isNamed) return undefined;
  const origin = named === undefined ? ' (named by ARCHIVER_CONFIG)' : '';
  throw usageError(`there is no config file ${places.paths.join('')}${origin}`, 'archiver config --generate');
}

/** A problem as one sentence: `~/.archiver.yaml line 3: upload.shardCout is not a setting`. */
export function problemText(path: string, { line, key, message }: ConfigProblem): string {
  return `${path} line ${line}: ${key === '' ? message : `${key} ${message}`}`;
}
