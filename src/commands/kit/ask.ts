// Questions before something that cannot be undone, and who is there to answer them.
import type { Questions, Terminal } from '../../cli/context.js';
import { usageError } from '../../core/failures/errors.js';

/** Somebody can be asked: questions go to stderr, answers come from stdin. */
export const hasTerminal = ({ stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/** Goes on only with a yes. `refusal`: what did not happen. @throws usage when the answer is no */
export async function agree(context: Questions, question: string, refusal: string): Promise<void> {
  if (!(await context.confirm(question))) throw usageError(`${refusal}: the answer was no`);
}
