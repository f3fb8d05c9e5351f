import { isCi } from '../../cli/progress.js';
import type { Environment, Terminal } from '../../cli/context.js';
import { usageError } from '../../core/platform/failures/errors.js';

/** Refuses to open a full screen without a suitable terminal. `name` is the command, `hint` what to type instead. @throws usage */
export function requireTerminal(name: string, hint: string, { stdin, stdout, env }: Terminal & Environment): void {
  if (stdin.isTTY !== true || stdout.isTTY !== true) throw usageError(`${name} needs a terminal`, hint);
  if (env['TERM'] === 'dumb')
    throw usageError(`${name} needs a terminal that can move its cursor (TERM is dumb)`, hint);
  if (isCi(env)) throw usageError(`${name} does not work where CI is set in the environment`, hint);
}
