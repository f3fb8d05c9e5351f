// docs/commands.md, from the tree.
import { argUsage } from '../../src/cli/arg.js';
import type { Declaration } from '../../src/cli/declaration.js';
import { RESERVED_VARIABLES } from '../../src/cli/env-names.js';
import type { Flags } from '../../src/cli/flag.js';
import { globalFlagsFor } from '../../src/cli/global-flags.js';
import { exitStatusesOf, flagFacts, flagTerm, flagText } from '../../src/cli/help.js';
import { commandsUnder, type Node } from '../../src/cli/tree.js';

// A pipe would end the cell of a table, an angle bracket would start HTML.
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

const flagTable = (path: string, flags: Flags): readonly string[] =>
  table(
    ['Flag', 'Meaning', 'Type, default, variable'],
    Object.entries(flags).map(([key, flag]) => [
      `\`${flagTerm(key, flag).trim()}\``,
      flagText(flag),
      flagFacts(path, key, flag).join('; '),
    ]),
  );

function commandSection(command: Declaration): readonly string[] {
  const args = command.args ?? [];
  const usage = ['archiver', command.path, ...args.map(argUsage), '[flags]'].join(' ');
  return [
    `## archiver ${command.path}`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    ...(command.description === undefined ? [] : [command.description.replaceAll('\n', '\n\n'), '']),
    '```sh',
    usage,
    '```',
    '',
    ...table(
      ['Argument', 'Meaning', 'Type'],
      args.map((arg) => [`\`${arg.name}\``, arg.describe, arg.type.label]),
    ),
    ...flagTable(command.path, command.flags ?? {}),
    ...(command.rules ?? []).map(({ text }) => `- ${text}`),
    ...((command.rules ?? []).length === 0 ? [] : ['']),
    'Examples:',
    '',
    '```sh',
    ...command.examples,
    '```',
    '',
    `Exit status: ${Object.entries(exitStatusesOf(command))
      .map(([status, meaning]) => `${status} ${meaning}`)
      .join('; ')}.`,
    '',
  ];
}

/** The reference of all commands, as Markdown. */
export function commandsDocument(root: Node): string {
  return [
    '# Commands',
    '',
    'Generated from the command declarations by `npm run docs`; do not edit.',
    '',
    'A flag wins over its environment variable, the variable over the config file, the file over the default. For one',
    'command alone a variable is named `ARCHIVER_<COMMAND>_<FLAG>`, such as `ARCHIVER_UPLOAD_BUCKET`. Words that images use for the',
    'program itself, such as `VERSION`, `TAG` and `FILE`, have only that one.',
    '',
    '## Flags of every command',
    '',
    ...flagTable('', globalFlagsFor(root)),
    ...table(
      ['Variable', 'Meaning'],
      RESERVED_VARIABLES.map(({ name, describe }) => [`\`${name}\``, describe]),
    ),
    ...[...commandsUnder(root)].flatMap(commandSection),
  ].join('\n');
}
