import { defineCommand } from '../../cli/command.js';
import type { Origins, Places, Results } from '../../cli/context.js';
import { frameworkFlags } from '../../cli/global-flags.js';
import type { RememberedStore } from '../../core/context/context-file.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { textOf } from '../kit/lines.js';

export const command = defineCommand({
  path: 'context show',
  summary: 'show the context, what set it, and the stores opened last',
  description:
    'Shows the context and what set it, the working directory, the context file, and the last ten stores that ' +
    '`archiver shell` and `archiver browse` were opened on.',
  flags: { context: frameworkFlags.context },
  examples: ['archiver context show', 'archiver context show --json'],
  exits: { 0: 'shown', 1: '~/.archiver-context cannot be read or is damaged' },
  ignoresConfigFile: true,
  async run(values, _args, context: Results<'context show'> & Origins & Places) {
    const { currentContext } = await import('../../core/context/current-context.js');
    const { context: name, source, file, stores } = await currentContext(values.context, context);
    const { cwd } = context;
    context.result({ context: name, setBy: source, cwd, file, stores }, () =>
      textOf([
        `context  ${name} (${printable(source)})`,
        `folder   ${printable(cwd)}`,
        `file     ${printable(file)}`,
        ...(stores.length === 0 ? ['stores   none was opened yet'] : stores.map(storeLine)),
      ]),
    );
  },
});

function storeLine({ url, region, endpointUrl }: RememberedStore, index: number): string {
  const about = [region, endpointUrl].filter((text) => text !== undefined).join(', ');
  return `${index === 0 ? 'stores ' : '       '}  ${printable(about === '' ? url : `${url} (${about})`)}`;
}
