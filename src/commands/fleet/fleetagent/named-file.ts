// Files that are named on the command line: configs, signatures and keys.
import { resolve } from 'node:path';
import type { Places } from '../../../cli/context.js';

/** Its bytes; relative names begin at the current folder. @throws access-denied, io */
export async function readNamed(file: string, { cwd }: Pick<Places, 'cwd'>): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises');
  const { fileFailure } = await import('../../../core/platform/failures/file-failure.js');
  const path = resolve(cwd, file);
  try {
    return await readFile(path);
  } catch (error) {
    throw fileFailure('read', path, error);
  }
}
