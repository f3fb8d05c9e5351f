// Reads files that are named on the command line: configs, signatures and keys.
import { resolve } from 'node:path';
import type { Places } from '../../../cli/context.js';

/** Returns the bytes of the file; relative names begin at the working directory. @throws access-denied, io */
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
