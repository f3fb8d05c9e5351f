// Questions that want certain words typed, so that nobody confirms by habit.
import { createInterface } from 'node:readline';
import type { Context } from '../../cli/context.js';
import { ArchiverError } from '../../core/failures/errors.js';
import { printable } from '../../core/paths/raw-path.js';

/** Asks for each of these words in turn on stderr. @throws cancelled (exit status 1) at the first answer that is another */
export async function askTyped(
  context: Pick<Context, 'stdin' | 'stderr' | 'signal'>,
  questions: readonly { readonly about: string; readonly word: string }[],
): Promise<void> {
  // One reader for all of them: what is typed ahead belongs to the next question.
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
