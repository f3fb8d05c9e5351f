// Finds and reads the config file. The file is never written here.
import { usageError, systemCode, ArchiverError, errorText } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import { configPlaces, type ConfigSurroundings } from './config-places.js';
import type { ConfigSchema } from './config-schema.js';
import { parseConfig, type ConfigProblem, type ParsedConfig } from './parse-config.js';

export interface ConfigFile extends ParsedConfig {
  readonly path: string;
}

export type ReadBytes = (path: string) => Promise<Uint8Array>;

async function readIfThere(path: string, readBytes: ReadBytes): Promise<Uint8Array | undefined> {
  try {
    return await readBytes(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason =
      code === 'EACCES' ? 'no permission to read it' : code === 'EISDIR' ? 'it is a folder' : errorText(error);
    throw new ArchiverError('io', `the config file ${printable(path)} cannot be read: ${reason}`, {
      cause: error,
      exitCode: 2,
    });
  }
}

/** The config file that counts, parsed; undefined when there is none, and then nobody asks for its keys. `named` (from --file) replaces the search. */
export async function loadConfig(
  surroundings: ConfigSurroundings,
  schemaOf: () => ConfigSchema | Promise<ConfigSchema>,
  readBytes: ReadBytes,
  named?: string,
): Promise<ConfigFile | undefined> {
  const places = named === undefined ? configPlaces(surroundings) : { paths: [named], isNamed: true };
  for (const path of places.paths) {
    const bytes = await readIfThere(path, readBytes);
    if (bytes !== undefined) return { path, ...(await parseConfig(bytes, await schemaOf())) };
  }
  if (!places.isNamed) return undefined;
  const origin = named === undefined ? ' (named by ARCHIVER_CONFIG)' : '';
  throw usageError(
    `there is no config file ${places.paths.map(printable).join('')}${origin}`,
    'archiver config --generate',
  );
}

/** A problem as one sentence, safe to print: `~/.archiver.yaml line 3: upload.shardCout is not a setting`. */
export function problemText(path: string, { line, key, message }: ConfigProblem): string {
  return printable(`${path} line ${line}: ${key === '' ? message : `${key} ${message}`}`);
}
