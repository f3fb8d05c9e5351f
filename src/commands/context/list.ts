import { defineCommand } from '../../cli/command.js';
import type { Origins, Places, Results } from '../../cli/context.js';
import { frameworkFlags } from '../../cli/global-flags.js';
import { textOf } from '../kit/lines.js';

export const command = defineCommand({
  path: 'context list',
  summary: 'list the contexts and mark the current one',
  flags: { context: frameworkFlags.context },
  examples: ['archiver context list'],
  exits: { 0: 'listed', 1: '~/.archiver-context cannot be read or is damaged' },
  ignoresConfigFile: true,
  async run(values, _args, context: Results<'context list'> & Origins & Places) {
    const { currentContext } = await import('../../core/context/current-context.js');
    const { context: name } = await currentContext(values.context, context);
    const { CONTEXT_NAMES } = await import('../../core/context/context-file.js');
    const { ABOUT_CONTEXTS } = await import('../../core/context/current-context.js');
    const contexts = CONTEXT_NAMES.map((known) => ({
      name: known,
      about: ABOUT_CONTEXTS[known],
      isCurrent: known === name,
    }));
    context.result({ contexts }, () =>
      textOf(
        contexts.map(({ name: known, about, isCurrent }) => `${isCurrent ? '*' : ' '} ${known.padEnd(5)}  ${about}`),
      ),
    );
  },
});
