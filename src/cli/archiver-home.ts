// Where archiver keeps what is its own.
import { join } from 'node:path';

/** `$ARCHIVER_HOME`, or else `~/.archiver`. */
export function archiverHome(env: Readonly<Record<string, string | undefined>>, userHome: string): string {
  const given = env['ARCHIVER_HOME'];
  return given === undefined || given === '' ? join(userHome, '.archiver') : given;
}
