import { argUsage } from '../../src/cli/arg.js';
import { flagTerm } from '../../src/cli/help.js';
import { commandsUnder, type Node } from '../../src/cli/tree.js';

/** The whole tree in a few lines per command: what a reviewer wants to see change. */
export function describeTree(root: Node): string {
  return [...commandsUnder(root)]
    .map((command) => {
      const flags = Object.entries(command.flags ?? {}).map(([key, flag]) => {
        const defaultText = flag.kind === 'switch' || flag.defaultText === undefined ? '' : ` = ${flag.defaultText}`;
        return `  ${flagTerm(key, flag).trim()} <${flag.kind} ${flag.type.label}>${flag.required ? ' required' : ''}${flag.only === 's3' ? ' S3 only' : ''}${defaultText}`;
      });
      return [['archiver', command.path, ...(command.args ?? []).map(argUsage)].join(' '), ...flags].join('\n');
    })
    .join('\n')
    .concat('\n');
}
