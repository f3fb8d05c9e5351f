// Secrets that are given as a flag, a variable, a file, or typed without being shown.
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Cancellation, Places, Terminal } from '../../cli/context.js';
import { ArchiverError, cancelledError, usageError } from '../../core/failures/errors.js';
import { fileFailure } from '../../core/failures/file-failure.js';
import { untilCancelled } from '../../core/object-store/until-cancelled.js';
import { printable } from '../../core/paths/raw-path.js';
import { hasTerminal } from './ask.js';

type Asking = Cancellation & Pick<Terminal, 'stdin' | 'stderr'>;

const MAX_BYTES = 65_536;
const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f'] as const;

export interface SecretSources {
  readonly given: string | undefined;
  readonly file: string | undefined;
  /** What to ask for on a terminal: `SMTP password`; not asked without it. */
  readonly ask?: string | undefined;
}

/** The secret; undefined where nobody gave one. @throws usage for an empty file or answer; not-found, access-denied, io, cancelled */
export async function secretOf(
  { given, file, ask }: SecretSources,
  context: Asking & Pick<Places, 'cwd'>,
): Promise<string | undefined> {
  if (given !== undefined) return given;
  if (file !== undefined) return await secretIn(resolve(context.cwd, file));
  return ask === undefined || !hasTerminal(context) ? undefined : await askSecret(ask, context);
}

async function secretIn(path: string): Promise<string> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw usageError(`${printable(path)} is larger than a secret may be (64 KiB)`);
    text = (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw error instanceof ArchiverError ? error : fileFailure('read', path, error);
  }
  if (text === '') throw usageError(`${printable(path)} is empty: there is no secret in it`);
  return text;
}

/** Asks on stderr; what is typed is not shown. @throws cancelled at Ctrl+C; usage for no answer */
async function askSecret(what: string, { stdin, stderr, signal }: Asking): Promise<string> {
  const input: typeof stdin & { readonly setRawMode?: (isRaw: boolean) => unknown } = stdin;
  stderr.write(`${what} (not shown): `);
  input.setRawMode?.(true);
  let takeChunk: (chunk: Buffer | string) => void = () => undefined;
  try {
    const reading = new Promise<string>((resolve, reject) => {
      let typed = '';
      takeChunk = (chunk) => {
        for (const key of String(chunk)) {
          if (key === CTRL_C) return reject(cancelledError());
          if (key === '\n' || key === '\r' || key === CTRL_D) return resolve(typed);
          typed = key === BACKSPACE || key === DELETE ? typed.slice(0, -1) : typed + key;
        }
      };
      input.on('data', takeChunk);
      input.once('end', () => resolve(typed));
    });
    const typed = await untilCancelled(reading, signal);
    if (typed === '') throw usageError(`no ${what} was typed`);
    return typed;
  } finally {
    input.off('data', takeChunk);
    input.setRawMode?.(false);
    input.pause();
    stderr.write('\n');
  }
}
