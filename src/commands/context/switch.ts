import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Environment, Messages, Places, Results } from '../../cli/context.js';
import { printable } from '../../core/platform/paths/raw-path.js';

export const command = defineCommand({
  path: 'context switch',
  summary: 'choose what archiver without a command does',
  description: 'Writes the choice to ~/.archiver-context. --context and ARCHIVER_CONTEXT still come before it.',
  args: [arg.choice('local', 'repl')('CONTEXT', { describe: 'local prints help; repl starts the shell' })],
  examples: ['archiver context switch repl', 'archiver context switch local'],
  exits: { 0: 'switched', 1: '~/.archiver-context cannot be written, or is damaged' },
  ignoresConfigFile: true,
  async run(_values, [name], context: Results<'context switch'> & Messages & Environment & Places) {
    const { contextPath, readContext, writeContext } = await import('../../core/context/context-file.js');
    const { ABOUT_CONTEXTS } = await import('../../core/context/current-context.js');
    const file = contextPath(context.userHome);
    const stores = (await readContext(file))?.stores ?? [];
    await writeContext(file, { context: name, stores });
    const variable = context.env['ARCHIVER_CONTEXT'] ?? '';
    if (variable !== '') context.note(`ARCHIVER_CONTEXT is set to ${printable(variable)} and comes before it`);
    context.outcome({ context: name, file }, () => `context ${name}: ${ABOUT_CONTEXTS[name]}\n`);
  },
});
