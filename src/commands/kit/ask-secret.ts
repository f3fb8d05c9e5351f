// Reads secrets from a flag, a variable, a file, or a prompt that does not show them.
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Cancellation, Places, Terminal } from '../../cli/context.js';
import { ArchiverError, cancelledError, usageError } from '../../core/platform/failures/errors.js';
import { fileFailure } from '../../core/platform/failures/file-failure.js';
import { untilCancelled } from '../../core/store/until-cancelled.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { holdTerminal, stopJob } from '../../ui/job-control.js';
import { hasTerminal } from './ask.js';

type PromptContext = Cancellation & Pick<Terminal, 'stdin' | 'stderr'>;

const MAX_BYTES = 65_536;
const [CTRL_C, CTRL_D, CTRL_Z, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\u001a', '\b', '\u007f'] as const;

export interface SecretSources {
  readonly given: string | undefined;
  readonly file: string | undefined;
  /** Name of the secret for the prompt on a terminal, such as `SMTP password`; without it there is no prompt. */
  readonly ask?: string | undefined;
}

/**
 * Returns the secret, or undefined where nobody gave one. @throws usage for an empty file or answer; not-found, access-denied, io,
 * cancelled
 */
export async function secretOf(
  { given, file, ask }: SecretSources,
  context: PromptContext & Pick<Places, 'cwd'>,
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

/** Asks for a new secret, which is typed twice. @throws usage for an empty answer, or two that differ; cancelled at Ctrl+C */
export async function askNewSecret(what: string, context: PromptContext): Promise<string> {
  const [typed, again] = await readHidden([what, `${what} again`], context);
  if (typed !== again) throw usageError(`the two answers for the ${what} differ: nothing was made`);
  return typed ?? '';
}

/** Asks on stderr, without showing what is typed. @throws cancelled at Ctrl+C; usage for an empty answer */
const askSecret = async (what: string, context: PromptContext): Promise<string> =>
  (await readHidden([what], context))[0] ?? '';

/** Reads all answers with one reader: text that is typed ahead, or pasted, belongs to the next question. */
async function readHidden(
  questions: readonly string[],
  { stdin, stderr, signal }: PromptContext,
): Promise<readonly string[]> {
  const input: typeof stdin & { readonly setRawMode?: (isRaw: boolean) => unknown } = stdin;
  const ask = (what: string): void => void stderr.write(`${what} (not shown): `);
  const answers: string[] = [];
  let takeChunk: (chunk: Buffer | string) => void = () => undefined;
  let onEnd: () => void = () => undefined;
  ask(questions[0] ?? '');
  input.setRawMode?.(true);
  const release = holdTerminal({
    giveBack() {
      input.setRawMode?.(false);
      stderr.write('\n');
    },
    takeAgain() {
      input.setRawMode?.(false);
      input.setRawMode?.(true);
      ask(questions[answers.length] ?? '');
    },
  });
  try {
    const reading = new Promise<void>((resolve, reject) => {
      let typed = '';
      const end = (): void => {
        stderr.write('\n');
        const what = questions[answers.length];
        if (what === undefined) return;
        if (typed === '') return reject(usageError(`no ${what} was typed`));
        answers.push(typed);
        typed = '';
        const next = questions[answers.length];
        if (next === undefined) resolve();
        else ask(next);
      };
      onEnd = () => {
        while (answers.length < questions.length && typed !== '') end();
        reject(usageError(`no ${questions[answers.length] ?? 'more'} was typed`));
      };
      takeChunk = (chunk) => {
        for (const key of String(chunk)) {
          if (answers.length === questions.length) return;
          if (key === CTRL_C) return reject(cancelledError());
          if (key === CTRL_Z) return stopJob();
          if (key === '\n' || key === '\r' || key === CTRL_D) end();
          else typed = key === BACKSPACE || key === DELETE ? typed.slice(0, -1) : typed + key;
        }
      };
      input.on('data', takeChunk);
      input.once('end', onEnd);
    });
    await untilCancelled(reading, signal);
    return answers;
  } finally {
    release();
    input.off('data', takeChunk);
    input.off('end', onEnd);
    input.setRawMode?.(false);
    input.pause();
  }
}
