import { defineCommand } from '../../cli/command.js';
import { contextFlags } from './_flags.js';

export const command = defineCommand({
  path: 'context show',
  summary: 'show the context, what set it, and the stores opened last',
  description:
    'Shows the context and what set it, the working directory, the context file, and the last ten stores that ' +
    '`archiver shell` and `archiver browse` were opened on.',
  flags: contextFlags,
  examples: ['archiver context show', 'archiver context show --json'],
  exits: { 0: 'shown', 1: '~/.archiver-context cannot be read or is damaged' },
  ignoresConfigFile: true,
  async run(values, _args, context) {
    const { runContextShow } = await import('./run-context.js');
    return runContextShow(values, context);
  },
});
