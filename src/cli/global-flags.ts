// Flags of every command. A command's own flag of the same name replaces the global one, and a command's own short letter takes that letter
// from it.
import type { Declaration } from './declaration.js';
import { flag, type Flags } from './flag.js';

/** Flags of the framework; features add theirs. */
export const frameworkFlags = {
  json: flag.on({ describe: 'print one JSON document on stdout, also on failure' }),
  quiet: flag.on({ short: 'q', describe: 'print nothing when all is well; what was asked for is still printed' }),
  verbose: flag.on({ short: 'v', describe: 'say more about what is being done' }),
  trace: flag.on({ short: 't', describe: 'print trace messages and the stack of a failure' }),
  utc: flag.on({ describe: 'show times in UTC instead of the time zone of this computer; JSON is always in UTC' }),
  context: flag.choice(['local', 'repl'], {
    describe:
      'what archiver without a command does: local prints help, repl starts the shell; a command that is named runs the same in both',
  }),
  memoryLimit: flag.bytes(1024 * 1024, {
    sample: '512MiB',
    describe: 'stay below this much memory when content is packed or unpacked; slows work down',
  }),
  color: flag.choice(['auto', 'always', 'never'], {
    default: 'auto',
    describe: 'colour the output; auto follows the terminal, NO_COLOR and FORCE_COLOR',
  }),
};

/** Returns the global flags that this command does not declare itself. A command outside a program has those of the framework. */
export function globalFlagsFor({ flags: own = {}, globals }: Pick<Declaration, 'flags' | 'globals'>): Flags {
  const shorts = new Set(Object.values(own).map((flag) => flag.short));
  const entries = Object.entries<Flags[string]>(globals?.flags ?? frameworkFlags).filter(([key]) => !(key in own));
  return Object.fromEntries(
    entries.map(([key, { short, alias, ...flag }]) => [
      key,
      {
        ...flag,
        short: shorts.has(short) ? undefined : short,
        alias: alias !== undefined && alias in own ? undefined : alias,
      },
    ]),
  );
}

/** All flags of a command: its own and the global ones. */
export const allFlags = (command: Pick<Declaration, 'flags' | 'globals'>): Flags => ({
  ...command.flags,
  ...globalFlagsFor(command),
});
