import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';

export const command = defineCommand({
  path: 'context switch',
  summary: 'choose what archiver without a command does',
  description: 'Writes the choice to ~/.archiver-context. --context and ARCHIVER_CONTEXT still come before it.',
  args: [arg.choice('local', 'repl')('CONTEXT', { describe: 'local prints help; repl starts the shell' })],
  examples: ['archiver context switch repl', 'archiver context switch local'],
  exits: { 0: 'switched', 1: '~/.archiver-context cannot be written, or is damaged' },
  ignoresConfigFile: true,
  async run(_values, [name], context) {
    const { runContextSwitch } = await import('./run-context.js');
    return runContextSwitch(name, context);
  },
});
