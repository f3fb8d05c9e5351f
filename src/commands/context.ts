import { defineCommand } from '../cli/command.js';
import type { Origins, Places, Results } from '../cli/context.js';
import { frameworkFlags } from '../cli/global-flags.js';

export const command = defineCommand({
  path: 'context',
  summary: 'show what archiver without a command does',
  description:
    'In the context local, `archiver` without a command prints help; in the context repl it starts the shell in which ' +
    'every command can be typed. A command that is named runs the same in both. --context says it for one call, then ' +
    'ARCHIVER_CONTEXT, then ~/.archiver-context, which `archiver context switch` writes; without all of them it is local.',
  flags: { context: frameworkFlags.context },
  examples: ['archiver context', 'archiver context switch repl', 'archiver context show'],
  exits: { 0: 'shown', 1: '~/.archiver-context cannot be read or is damaged' },
  ignoresConfigFile: true,
  async run(values, _args, context: Results<'context'> & Origins & Places) {
    const { currentContext } = await import('../core/context/current-context.js');
    const { context: name, source } = await currentContext(values.context, context);
    context.result({ context: name, setBy: source }, () => `${name}\n`);
  },
});
