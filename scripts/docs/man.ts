// Man pages, from the tree: archiver(1) and one page for each command, such as archiver-restore-jobs-list(1).
import { argUsage } from '../../src/cli/arg.js';
import type { Declaration } from '../../src/cli/declaration.js';
import { RESERVED_VARIABLES } from '../../src/cli/env-names.js';
import type { Flags } from '../../src/cli/flag.js';
import { globalFlagsFor } from '../../src/cli/global-flags.js';
import { exitStatusesOf, flagFacts, flagTerm, flagText } from '../../src/cli/help.js';
import { commandsUnder, type Node } from '../../src/cli/tree.js';

/** What roff takes for something else: escapes, hyphens, and what it sets as typographic quotes and accents, which no shell takes. */
const SPECIAL: Readonly<Record<string, string>> = {
  '\\': String.raw`\e`,
  '-': String.raw`\-`,
  "'": String.raw`\(aq`,
  '`': String.raw`\(ga`,
  '^': String.raw`\(ha`,
  '~': String.raw`\(ti`,
  '…': '...',
};

/** Any other character outside of ASCII: plain roff reads bytes. */
const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return SPECIAL[character] ?? String.raw`\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
};

/** Text as roff prints it unchanged. A dot at the start of a line would begin a request. */
export const roff = (text: string): string =>
  text.replaceAll(/[\\\-'`^~]|[^\t\n -~]/gu, escaped).replaceAll(/^(?=\.)/gm, String.raw`\&`);

/** Text as the arguments of a macro, where a double quote would begin one with spaces. */
const bold = (text: string): string => `.B ${roff(text).replaceAll('"', String.raw`\(dq`)}`;

const item = (term: string, text: string): string => `.TP\n${bold(term)}\n${roff(text)}`;

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

function page({ path, summary, sections }: Page, { version, date }: Release): string {
  const name = pageName(path);
  return [
    `.TH ${name.toUpperCase()} 1 ${date} "archiver ${version}" "archiver"`,
    '.SH NAME',
    `${roff(name)} ${String.raw`\-`} ${roff(summary)}`,
    ...sections.filter(([, body]) => body.length > 0).flatMap(([title, body]) => [`.SH ${title}`, ...body]),
    '',
  ].join('\n');
}

/** A heading begins the first paragraph by itself. */
const paragraphs = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => text.split('\n'))
    .flatMap((line, index) => (index === 0 ? [roff(line)] : ['.PP', roff(line)]));

const commandPage = (command: Declaration): Page => ({
  path: command.path,
  summary: command.summary,
  sections: [
    [
      'SYNOPSIS',
      [bold(`archiver ${command.path}`), roff([...(command.args ?? []).map(argUsage), '[flags]'].join(' '))],
    ],
    [
      'DESCRIPTION',
      paragraphs([command.description ?? '', ...(command.rules ?? []).map(({ text }) => text)].filter(Boolean)),
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
    ['SYNOPSIS', [bold('archiver'), roff('COMMAND [arguments] [flags]')]],
    ['COMMANDS', [...commandsUnder(root)].map(({ path, summary }) => item(`${pageName(path)}(1)`, summary))],
    ['OPTIONS OF EVERY COMMAND', flagItems('', globalFlagsFor(root))],
    ['ENVIRONMENT', RESERVED_VARIABLES.map(({ name, describe }) => item(name, describe))],
  ],
});

export interface Release {
  readonly version: string;
  /** Such as 2026-11-30. */
  readonly date: string;
}

/**
 * The date in the heading of this version in CHANGELOG.md: the same pages come of the same source on any day.
 * @throws Error where the version has no heading, or its heading no date
 */
export function releaseOf(version: string, changelog: string): Release {
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version},`));
  const date = /\b\d{4}-\d\d-\d\d\b/.exec(heading ?? '')?.[0];
  if (date === undefined)
    throw new Error(
      `CHANGELOG.md has no heading "## ${version}, …" with a date such as 2026-11-30, which manual pages need`,
    );
  return { version, date };
}

/** All pages by their file names, such as `archiver-upload.1`. */
export function manPages(root: Node, release: Release): ReadonlyMap<string, string> {
  const pages = [programPage(root), ...Array.from(commandsUnder(root), commandPage)];
  return new Map(pages.map((one) => [`${pageName(one.path)}.1`, page(one, release)]));
}
