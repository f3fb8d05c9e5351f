// The y/n question. It goes to stderr: stdout is the result.
import { usageError } from '../core/failures/errors.js';
import type { Host } from './host.js';

/** True only for a clear yes. Without a terminal nobody can answer, so that is a usage error. */
export async function confirm(host: Host, signal: AbortSignal, question: string): Promise<boolean> {
  if (host.stdin.isTTY !== true || host.stderr.isTTY !== true) {
    throw usageError(`${question} needs an answer, and there is no terminal to ask on`, 'add --yes to answer yes');
  }
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: host.stdin, output: host.stderr, terminal: false });
  try {
    const answer = await Promise.race([
      prompt.question(`${question} [y/N] `, { signal }),
      new Promise<string>((resolve) => prompt.once('close', () => resolve(''))),
    ]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
