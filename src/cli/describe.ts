// The command tree as data: the output of `archiver --help --json`.
import type { Declaration } from './declaration.js';
import { envNames } from './env-names.js';
import { exitStatusesOf } from './help.js';
import { kebab, type Flag } from './flag.js';
import { callOf, commandsUnder, type Node } from './tree.js';

function describeFlag(path: string, key: string, flag: Flag) {
  return {
    name: kebab(key),
    ...(flag.short === undefined ? {} : { short: flag.short }),
    type: flag.kind === 'switch' ? 'switch' : flag.type.label,
    describe: flag.describe,
    required: flag.required,
    repeatable: flag.kind === 'repeat' || flag.kind === 'pairs',
    ...(flag.defaultText === undefined ? {} : { default: flag.defaultText }),
    ...(flag.type.choices === undefined || flag.kind === 'switch' ? {} : { choices: flag.type.choices }),
    variables: envNames(path, key),
  };
}

function describeCommand(command: Declaration) {
  return {
    command: command.path,
    summary: command.summary,
    arguments: (command.args ?? []).map((arg) => ({
      name: arg.name,
      describe: arg.describe,
      type: arg.type.label,
      optional: arg.optional,
      many: arg.many,
    })),
    flags: Object.entries(command.flags ?? {}).map(([key, flag]) => describeFlag(command.path, key, flag)),
    rules: (command.rules ?? []).map(({ text }) => text),
    examples: command.examples,
    exitStatuses: exitStatusesOf(command),
  };
}

/** The JSON of a node: itself and all commands under it. */
export function describeNode(node: Node) {
  return { call: callOf(node), summary: node.summary, commands: [...commandsUnder(node)].map(describeCommand) };
}

/** The JSON of the flags of every command. */
export const describeGlobals = ({ globals }: Node) => ({
  call: 'archiver help globals',
  summary: 'flags of every command',
  flags: Object.entries(globals.flags).map(([key, flag]) => describeFlag('', key, flag)),
});
