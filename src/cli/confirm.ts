// Asks the user y/n on stderr, as stdout is for the result.
import { usageError } from '../core/platform/failures/errors.js';
import type { Host } from './host.js';

/**
 * Returns true for a yes. An empty answer counts as `isYes`, anything else as a no. @throws usage without a terminal, where nobody can
 * answer
 */
export async function confirm(host: Host, signal: AbortSignal, question: string, isYes = false): Promise<boolean> {
  if (host.stdin.isTTY !== true || host.stderr.isTTY !== true) {
    throw usageError(`${question} needs an answer, and there is no terminal to ask on`, 'add --yes to answer yes');
  }
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: host.stdin, output: host.stderr, terminal: false });
  try {
    const answer = await Promise.race([
      prompt.question(`${question} ${isYes ? '[Y/n]' : '[y/N]'} `, { signal }),
      new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined))),
    ]);
    return (isYes && answer?.trim() === '') || /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    prompt.close();
  }
}
