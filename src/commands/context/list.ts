import { defineCommand } from '../../cli/command.js';
import { contextFlags } from './_flags.js';

export const command = defineCommand({
  path: 'context list',
  summary: 'list the contexts and mark the current one',
  flags: contextFlags,
  examples: ['archiver context list'],
  exits: { 0: 'listed', 1: '~/.archiver-context cannot be read or is damaged' },
  ignoresConfigFile: true,
  async run(values, _args, context) {
    const { runContextList } = await import('./run-context.js');
    return runContextList(values, context);
  },
});
