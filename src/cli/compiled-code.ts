// Lets Node keep what V8 has compiled, from Node 22.1 on: a fifth of the CPU of a short command (docs/decisions/095).
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { archiverHome } from './archiver-home.js';

/** Of Node 22.1; the types are those of Node 20. */
interface Keeping {
  readonly enableCompileCache?: (folder: string) => unknown;
}

/**
 * Keeps compiled code in archiver's own folder, if that is there. Whoever can write to it runs code here, so it must be of this user, and
 * nobody else may write to it.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv, { enableCompileCache }: Keeping = module as Keeping): void {
  const { HOME: userHome, NODE_COMPILE_CACHE: kept } = env;
  if (enableCompileCache === undefined || kept !== undefined || userHome === undefined) return;
  const home = archiverHome(env, userHome);
  const folder = join(home, 'compiled-code');
  try {
    if (!isOwn(home)) return;
    mkdirSync(folder, { mode: 0o700, recursive: true });
    if (isOwn(folder)) enableCompileCache(folder);
  } catch {
    // It takes longer without.
  }
}

function isOwn(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
