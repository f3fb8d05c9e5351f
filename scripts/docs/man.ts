// Man pages, from the tree: archiver(1) and one page for each command, such as archiver-restore-jobs-list(1).
import { argUsage } from '../../src/cli/arg.js';
import type { Declaration } from '../../src/cli/declaration.js';
import { RESERVED_VARIABLES } from '../../src/cli/env-names.js';
import type { Flags } from '../../src/cli/flag.js';
import { globalFlagsFor } from '../../src/cli/global-flags.js';
import { exitStatusesOf, flagFacts, flagTerm, flagText } from '../../src/cli/help.js';
import { commandsUnder, type Node } from '../../src/cli/tree.js';

// A backslash begins an escape, a dot or an apostrophe at the start of a line a request; a hyphen must stay one to be copied.
const roff = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^(?=[.'])/gm, String.raw`\&`);

const item = (term: string, text: string): string => `.TP\n.B ${roff(term)}\n${roff(text)}`;

const flagItems = (path: string, flags: Flags): readonly string[] =>
  Object.entries(flags).map(([key, flag]) => {
    const facts = flagFacts(path, key, flag);
    return item(
      flagTerm(key, flag).trim(),
      facts.length === 0 ? flagText(flag) : `${flagText(flag)} (${facts.join('; ')})`,
    );
  });

const pageName = (path: string): string => ['archiver', ...path.split(' ').filter(Boolean)].join('-');

interface Page {
  readonly path: string;
  readonly summary: string;
  readonly sections: readonly (readonly [title: string, body: readonly string[]])[];
}

function page({ path, summary, sections }: Page, version: string): string {
  const name = pageName(path);
  return [
    `.TH ${name.toUpperCase()} 1 "" "archiver ${version}" "archiver"`,
    '.SH NAME',
    `${roff(name)} ${String.raw`\-`} ${roff(summary)}`,
    ...sections.filter(([, body]) => body.length > 0).flatMap(([title, body]) => [`.SH ${title}`, ...body]),
    '',
  ].join('\n');
}

const paragraphs = (text: string): readonly string[] => text.split('\n').flatMap((line) => ['.PP', roff(line)]);

const commandPage = (command: Declaration): Page => ({
  path: command.path,
  summary: command.summary,
  sections: [
    [
      'SYNOPSIS',
      [`.B archiver ${roff(command.path)}`, roff([...(command.args ?? []).map(argUsage), '[flags]'].join(' '))],
    ],
    [
      'DESCRIPTION',
      [command.description ?? '', ...(command.rules ?? []).map(({ text }) => text)].filter(Boolean).flatMap(paragraphs),
    ],
    ['ARGUMENTS', (command.args ?? []).map(({ name, describe }) => item(name, describe))],
    ['OPTIONS', flagItems(command.path, command.flags ?? {})],
    ['EXIT STATUS', Object.entries(exitStatusesOf(command)).map(([status, meaning]) => item(status, meaning))],
    ['EXAMPLES', ['.nf', ...command.examples.map(roff), '.fi']],
    ['SEE ALSO', [`${roff('archiver')}(1) has the flags and variables of every command.`]],
  ],
});

const programPage = (root: Node): Page => ({
  path: '',
  summary: root.summary,
  sections: [
    ['SYNOPSIS', ['.B archiver', roff('COMMAND [arguments] [flags]')]],
    ['COMMANDS', [...commandsUnder(root)].map(({ path, summary }) => item(`${pageName(path)}(1)`, summary))],
    ['OPTIONS OF EVERY COMMAND', flagItems('', globalFlagsFor(root))],
    ['ENVIRONMENT', RESERVED_VARIABLES.map(({ name, describe }) => item(name, describe))],
  ],
});

/** All pages by their file names, such as `archiver-upload.1`. */
export function manPages(root: Node, version: string): ReadonlyMap<string, string> {
  const pages = [programPage(root), ...Array.from(commandsUnder(root), commandPage)];
  return new Map(pages.map((one) => [`${pageName(one.path)}.1`, page(one, version)]));
}
