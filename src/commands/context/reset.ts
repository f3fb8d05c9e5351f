import { defineCommand } from '../../cli/command.js';
import type { Places, Results } from '../../cli/context.js';
import { printable } from '../../core/platform/paths/raw-path.js';

export const command = defineCommand({
  path: 'context reset',
  summary: 'go back to the context local and forget the stores that were opened',
  description: 'Removes ~/.archiver-context, also when it is damaged.',
  examples: ['archiver context reset'],
  exits: { 0: 'removed, or there was none', 1: '~/.archiver-context cannot be removed' },
  ignoresConfigFile: true,
  async run(_values, _args, context: Results<'context reset'> & Places) {
    const { contextPath, removeContext } = await import('../../core/context/context-file.js');
    const file = contextPath(context.userHome);
    const isRemoved = await removeContext(file);
    context.outcome({ context: 'local', file, isRemoved }, () =>
      isRemoved ? `context local; removed ${printable(file)}\n` : 'context local; there was no context file\n',
    );
  },
});
