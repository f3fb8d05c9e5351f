// Reads the list of --files-from or --files-from-raw.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Cancellation, Places, Terminal } from '../../cli/context.js';
import { listedPath } from '../../core/archive/scan/listed-paths.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { fileFailure } from '../../core/platform/failures/file-failure.js';
import { displayPath, printable, type RawPath, rawFromBytes, TOP } from '../../core/platform/paths/raw-path.js';
import { typedRaw } from '../../core/platform/text/typed-path.js';
import { untilCancelled } from '../../core/store/until-cancelled.js';

export interface PathListValues {
  readonly filesFrom: string | undefined;
  readonly filesFromRaw: string | undefined;
}

export type PathListContext = Pick<Places, 'cwd'> & Pick<Terminal, 'stdin'> & Cancellation;

/** Most bytes of a list, which is one string. */
const MAX_BYTES = 2 ** 28;

/**
 * Returns the listed paths; undefined without a list. @throws usage for a list that is empty, too long, or leads out of the source; what
 * reading it throws
 */
export async function pathList(
  { filesFrom, filesFromRaw }: PathListValues,
  context: PathListContext,
): Promise<readonly RawPath[] | undefined> {
  const name = filesFromRaw ?? filesFrom;
  if (name === undefined) return undefined;
  const isRaw = filesFromRaw !== undefined;
  const shown = `${isRaw ? '--files-from-raw' : '--files-from'} ${printable(name)}`;
  const bytes = await untilCancelled(
    name === '-' ? readStdin(context, shown) : readList(resolve(context.cwd, name)),
    context.signal,
  );
  if (bytes.length > MAX_BYTES) throw usageError(`${shown} has more than 256 MiB of paths: name folders instead`);
  const lines = rawFromBytes(bytes)
    .split(isRaw ? '\0' : '\n')
    .filter((line) => line !== TOP);
  if (lines.length === 0) throw usageError(`${shown} names no path, so nothing would be selected`);
  return lines.map((line) => {
    const path = listedPath(isRaw ? line : typedRaw(line));
    if (path !== undefined) return path;
    throw usageError(`${shown} has ${displayPath(line)}: paths are relative to the source, without '..'`);
  });
}

async function readList(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw fileFailure('read', path, error);
  }
}

async function readStdin({ stdin }: PathListContext, shown: string): Promise<Buffer> {
  if (stdin.isTTY === true)
    throw usageError(`${shown} reads a list from stdin, which is a terminal`, 'pipe the list into this command');
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece as Buffer | string));
  return Buffer.concat(pieces);
}
