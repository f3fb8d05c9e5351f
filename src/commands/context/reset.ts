import { defineCommand } from '../../cli/command.js';

export const command = defineCommand({
  path: 'context reset',
  summary: 'go back to the context local and forget the stores that were opened',
  description: 'Removes ~/.archiver-context, also when it is damaged.',
  examples: ['archiver context reset'],
  exits: { 0: 'removed, or there was none', 1: '~/.archiver-context cannot be removed' },
  ignoresConfigFile: true,
  async run(_values, _args, context) {
    const { runContextReset } = await import('./run-context.js');
    return runContextReset(context);
  },
});
