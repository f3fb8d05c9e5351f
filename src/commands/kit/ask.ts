// Asks the user before something that cannot be undone, and tells whether there is a terminal to ask on.
import type { Cancellation, Questions, Terminal } from '../../cli/context.js';
import { ArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';

/** True if a person can be asked: questions go to stderr, answers come from stdin. */
export const hasTerminal = ({ stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/** Asks and returns only after a yes. `refusal` says what was not done. @throws usage when the answer is no */
export async function requireConfirmation(context: Questions, question: string, refusal: string): Promise<void> {
  if (!(await context.confirm(question))) throw usageError(`${refusal}: the answer was no`);
}

/**
 * Asks on stderr for each of these words in turn, to be typed, so that nobody agrees by habit. @throws cancelled (exit status 1) at the
 * first answer that is another
 */
export async function confirmTyped(
  context: Cancellation & Pick<Terminal, 'stdin' | 'stderr'>,
  questions: readonly { readonly about: string; readonly word: string }[],
): Promise<void> {
  const { createInterface } = await import('node:readline');
  // One reader for all of the words: text that is typed ahead belongs to the next question.
  const input = createInterface({ input: context.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  const stop = (): void => input.close();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    for (const { about, word } of questions) {
      context.stderr.write(`${printable(about)} `);
      const line = await lines.next();
      context.signal.throwIfAborted();
      const answer = line.done === true ? undefined : line.value.trim();
      if (answer === word) continue;
      const what = answer === undefined ? 'there was no answer' : `the answer was '${printable(answer)}'`;
      throw new ArchiverError('cancelled', `cancelled: ${what} and not '${printable(word)}'; nothing was deleted`, {
        exitCode: 1,
      });
    }
  } finally {
    context.signal.removeEventListener('abort', stop);
    input.close();
  }
}
