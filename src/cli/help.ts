// Help pages, from the tree alone: at most 80 columns, the same text on every terminal.
import { argUsage } from './arg.js';
import type { Declaration } from './declaration.js';
import { RESERVED_VARIABLES, envNames } from './env-names.js';
import { kebab, type Flag, type Flags } from './flag.js';
import { globalFlagsFor } from './global-flags.js';
import { callOf, type Node } from './tree.js';
import { columns, wrap } from './wrap.js';

const WIDTH = 80;
const TERM = 30;
/** Two screens of 50 lines. What is longer says the first words of each flag, and `archiver help` the rest. */
const MAX_LINES = 100;
/** The commands that most people need, which the page of the program begins with. */
const DAILY: readonly string[] = ['setup', 'upload', 'sync', 'list', 'find', 'browse', 'restore', 'verify'];

/** The statuses that any command can end with. */
const COMMON_EXITS: Readonly<Record<number, string>> = {
  2: 'usage: an unknown flag, a bad value, a missing argument',
  130: 'interrupted (143 when terminated)',
};

/** The exit statuses of a command, its own and the common ones. */
export const exitStatusesOf = (command: Declaration): Readonly<Record<number, string>> => ({
  ...COMMON_EXITS,
  ...command.exits,
});

/** Choices that are longer than this together are told beside the flag. */
const CHOICES_WIDTH = 32;

/** The word after a flag in help: `NAME`, `int`, `governance|compliance`; nothing for a switch. */
export function valueWord(key: string, flag: Flag): string {
  if (flag.kind === 'switch') return '';
  return flag.placeholder ?? choiceWord(key, flag.type.choices) ?? flag.type.label.split(' ')[0] ?? '';
}

function choiceWord(key: string, choices: readonly string[] | undefined): string | undefined {
  const all = choices?.join('|');
  return all === undefined || all.length <= CHOICES_WIDTH ? all : (kebab(key).split('-').at(-1) ?? '').toUpperCase();
}

/** `-r, --region NAME`; a switch that is on by default shows its negative. */
export function flagTerm(key: string, flag: Flag): string {
  const negative = flag.kind === 'switch' && flag.defaultText === 'true';
  const long = negative ? `--no-${kebab(key)}` : `--${kebab(key)}`;
  const short = flag.short === undefined || negative ? '    ' : `-${flag.short}, `;
  return `${short}${long} ${valueWord(key, flag)}`.trimEnd();
}

/** What help says beside the term of a flag. */
export const flagText = ({ off, describe }: Flag): string => off ?? describe;

/** Type, range, default and so on, in a few words each. */
export function flagFacts(path: string, key: string, flag: Flag): readonly string[] {
  const isSwitch = flag.kind === 'switch';
  const { choices, label } = flag.type;
  return [
    ...(isSwitch ? [] : [choices === undefined ? label : `one of ${choices.join(', ')}`]),
    ...(flag.kind === 'repeat' || flag.kind === 'pairs' ? ['repeatable'] : []),
    ...(flag.only === 's3' ? ['S3 only'] : []),
    ...(flag.required ? ['required'] : []),
    ...(isSwitch
      ? flag.defaultText === 'true'
        ? ['on by default']
        : []
      : flag.defaultText === undefined || flag.defaultText === ''
        ? []
        : [`default ${flag.defaultText}`]),
    ...(flag.alias === undefined ? [] : [`also --${kebab(flag.alias)}`]),
    ...(flag.isFileOnly === true ? [] : envNames(path, key).slice(-1)).map((name) => `$${name}`),
  ];
}

function flagLines(path: string, flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([key, flag]) => {
    const text = [flagText(flag), flagFacts(path, key, flag).join('; ')].join('\n');
    return columns(`  ${flagTerm(key, flag)}`, wrap(text, WIDTH - TERM), TERM);
  });
}

/** A line or two a flag: what it does, up to the first stop, and its default. */
function briefLines(flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([key, flag]) => {
    const [first = ''] = flagText(flag).split(/[;:]? \(|[;:] /);
    const { defaultText } = flag;
    const isShown =
      flag.kind !== 'switch' && defaultText !== undefined && defaultText !== '' && !first.includes(defaultText);
    const text = [first, choicesBeside(key, flag), isShown ? ` (${defaultText})` : ''].join('');
    const term = `  ${flagTerm(key, flag)}`;
    const line = `${term}  ${text}`;
    return term.length + 2 > TERM && line.length <= WIDTH ? [line] : columns(term, wrap(text, WIDTH - TERM), TERM);
  });
}

/** The choices that the word after the flag has no room for. */
function choicesBeside(key: string, { type: { choices } }: Flag): string {
  return choices === undefined || choices.join('|') === choiceWord(key, choices) ? '' : `: ${choices.join(', ')}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines, ''];
}

function list(pairs: readonly (readonly [string, string])[], termWidth: number): readonly string[] {
  return pairs.flatMap(([term, text]) => columns(`  ${term}`, wrap(text, WIDTH - termWidth), termWidth));
}

const paragraphs = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : [...wrap(text, WIDTH), ''];

function usageLines(node: Node, command: Declaration): readonly string[] {
  const args = (command.args ?? []).map(argUsage);
  return wrap([callOf(node), ...args, '[flags]'].join(' '), WIDTH - 6).map((line, index) =>
    index === 0 ? `  ${line}` : `      ${line}`,
  );
}

/** A long command line is continued the way a shell takes it. */
function exampleLines(line: string): readonly string[] {
  if (line.length + 2 <= WIDTH) return [`  ${line}`];
  const lines = wrap(line, WIDTH - 8);
  return lines.map((part, index) => `${index === 0 ? '  ' : '      '}${part}${index < lines.length - 1 ? ' \\' : ''}`);
}

const wordOf = ({ words }: Node): string => words.at(-1) ?? '';

/** Lines of commands below a node, all of which have one column. */
function childLines(node: Node, shown = childrenOf(node)): readonly string[] {
  const widest = Math.max(0, ...childrenOf(node).map((child) => wordOf(child).length));
  return list(
    shown.map((child) => [wordOf(child), child.summary] as const),
    Math.min(widest + 4, TERM),
  );
}

const childrenOf = (node: Node): readonly Node[] =>
  [...node.children.values()].toSorted((a, b) => (callOf(a) < callOf(b) ? -1 : 1));

const argumentLines = ({ args = [] }: Declaration): readonly string[] =>
  section(
    'arguments',
    list(
      args.map((arg) => [arg.name, `${arg.describe} (${arg.type.label})`] as const),
      TERM,
    ),
  );

/** What is typed most of the time to know: no rules, and the first words of description and flags. */
function briefHelp(node: Node, command: Declaration): readonly string[] {
  return [
    ...wrap(`${callOf(node)}: ${command.summary}`, WIDTH),
    '',
    ...section('usage', usageLines(node, command)),
    ...argumentLines(command),
    ...section('commands', childLines(node)),
    ...section('flags', briefLines(command.flags ?? {})),
    ...section('examples', command.examples.slice(0, 1).flatMap(exampleLines)),
    `${callOf(node).replace('archiver', 'archiver help')} says all of it, with exit statuses and variables.`,
    'Flags of every command: archiver help globals',
  ];
}

/** All about a command. */
function commandHelp(node: Node, command: Declaration): readonly string[] {
  const rules = (command.rules ?? []).flatMap(({ text }) => columns('  -', wrap(text, WIDTH - 5), 5));
  const [specific] = envNames(command.path, 'flag');
  return [
    ...wrap(`${callOf(node)}: ${command.summary}`, WIDTH),
    '',
    ...section('usage', usageLines(node, command)),
    ...paragraphs(command.description),
    ...section('commands', childLines(node)),
    ...argumentLines(command),
    ...section('flags', flagLines(command.path, command.flags ?? {})),
    ...section('rules', rules),
    ...section('examples', command.examples.flatMap(exampleLines)),
    ...section('exit status', list(Object.entries(exitStatusesOf(command)), 8)),
    ...wrap(
      `Flags win over variables, variables over the config file. ${specific?.replace(/FLAG$/, '<FLAG>') ?? ''} sets a flag for this command only. Flags of every command: archiver help globals`,
      WIDTH,
    ),
  ];
}

function groupHelp(node: Node): readonly string[] {
  const isRoot = node.words.length === 0;
  const head = [`${callOf(node)}: ${node.summary}`, '', ...section('usage', [`  ${callOf(node)} COMMAND [flags]`])];
  if (!isRoot) return [...head, ...section('commands', childLines(node)), `${callOf(node)} COMMAND --help says more.`];
  const daily = DAILY.flatMap((word) => node.children.get(word) ?? []);
  return [
    ...head,
    ...section('every day', childLines(node, daily)),
    ...section(
      'all others',
      childLines(
        node,
        childrenOf(node).filter((child) => !daily.includes(child)),
      ),
    ),
    'archiver COMMAND --help says more, archiver help globals what all of them take;',
    'archiver --version prints the version.',
  ];
}

const pageOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** The help page of a command, a group or the program; `isWhole`: however long it is. */
export function helpPage(node: Node, isWhole = false): string {
  if (node.command === undefined) return pageOf(groupHelp(node));
  const lines = commandHelp(node, node.command);
  return pageOf(isWhole || lines.length <= MAX_LINES ? lines : briefHelp(node, node.command));
}

/** The page about what every command has. */
export const globalsPage = (root: Node): string =>
  pageOf([
    'archiver help globals: flags and variables of every command',
    '',
    ...section('flags of every command', flagLines('', globalFlagsFor(root))),
    ...section(
      'variables',
      list(
        RESERVED_VARIABLES.map(({ name, describe }) => [name, describe] as const),
        TERM,
      ),
    ),
  ]);
