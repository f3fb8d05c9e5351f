// Completion for shells: commands, flags, choices, and which names belong where. Files and folders are left to the shell.
import { defined } from '../core/platform/defined.js';
import type { Args } from './arg.js';
import type { Declaration } from './declaration.js';
import { findFlagToken, looksLikeFlag } from './find-flag.js';
import { kebab, type Flag, type Flags } from './flag.js';
import { allFlags } from './global-flags.js';
import { flagText } from './help.js';
import { route } from './route.js';
import type { Node } from './tree.js';
import type { Completes, Names } from './value-type.js';

export interface Candidate {
  readonly text: string;
  readonly describe: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Kind of paths that the shell may add. */
  readonly paths: Completes;
  /** Names that belong here, and are looked for (complete-known.ts). */
  readonly known: readonly KnownNames[];
}

/** A line up to the value that is completed. */
export interface Line {
  readonly command: Declaration;
  /** What is typed after the command, before this value and the flag that it is of. */
  readonly rest: readonly string[];
  /** What is typed of the value. */
  readonly start: string;
}

export interface KnownNames {
  readonly names: Names;
  readonly line: Line;
  /** Text of the same word in front of the value. */
  readonly before: string;
}

/** Looks up names for a line. */
export type LookUp = (names: Names, line: Line) => Promise<readonly Candidate[]>;

const NONE: Completion = { candidates: [], paths: 'nothing', known: [] };

const starting = (candidates: readonly Candidate[], start: string): readonly Candidate[] =>
  candidates.filter(({ text }) => text.startsWith(start));

function flagCandidates(flags: Flags): readonly Candidate[] {
  const own = Object.entries(flags).map(([key, flag]) => ({
    text: flag.kind === 'switch' && flag.defaultText === 'true' ? `--no-${kebab(key)}` : `--${kebab(key)}`,
    describe: flagText(flag),
  }));
  return [...own, { text: '--help', describe: 'print help' }];
}

function valueCompletion(
  flag: Flag,
  { command, rest, start }: Partial<Line> & Pick<Line, 'rest' | 'start'>,
  before = '',
): Completion {
  const choices = (flag.type.choices ?? []).map((choice) => ({ text: `${before}${choice}`, describe: '' }));
  const names = flag.mayBeStore === true || flag.namesStores === true ? 'store' : flag.type.names;
  const comma = flag.kind === 'csv' ? start.lastIndexOf(',') + 1 : 0;
  const line = command && { command, rest, start: start.slice(comma) };
  const known =
    names === undefined || line === undefined ? [] : [{ names, line, before: before + start.slice(0, comma) }];
  return { candidates: starting(choices, `${before}${start}`), paths: flag.type.completes, known };
}

/** Flags that may be typed at this node: those of its command, or for a group the global ones. */
const flagsAt = (node: Node): Flags => allFlags(node.command ?? { globals: node.globals });

function argsOf(flags: Flags, rest: readonly string[]): readonly string[] {
  const args: string[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const token = rest[index] ?? '';
    if (token === '--') return [...args, ...rest.slice(index + 1)];
    if (!looksLikeFlag(token)) args.push(token);
    else {
      const found = findFlagToken(flags, token);
      if (found !== undefined && found.flag.kind !== 'switch' && found.value === undefined) index += 1;
    }
  }
  return args;
}

function wordCandidates(node: Node): readonly Candidate[] {
  const children = [...node.children.values()].map((child) => ({
    text: child.words.at(-1) ?? '',
    describe: child.summary,
  }));
  const help = node.words.length === 0 ? [{ text: 'help', describe: 'help on a command' }] : [];
  return [...children, ...help].sort((a, b) => (a.text < b.text ? -1 : 1));
}

const takesValue = (flag: Flag): boolean => flag.kind !== 'switch';

/** Completes a flag, or the value of the flag before it; undefined when the last word is neither. */
function completeFlag(node: Node, rest: readonly string[], current: string): Completion | undefined {
  const flags = flagsAt(node);
  const { command } = node;
  const last = rest.at(-1) ?? '';
  const open = looksLikeFlag(last) ? findFlagToken(flags, last) : undefined;
  if (open !== undefined && takesValue(open.flag) && open.value === undefined)
    return valueCompletion(open.flag, { ...defined({ command }), rest: rest.slice(0, -1), start: current });
  if (!current.startsWith('-')) return undefined;
  const at = current.indexOf('=');
  if (at === -1) return { ...NONE, candidates: starting(flagCandidates(flags), current) };
  const found = findFlagToken(flags, current);
  if (found === undefined) return NONE;
  return valueCompletion(
    found.flag,
    { ...defined({ command }), rest, start: current.slice(at + 1) },
    current.slice(0, at + 1),
  );
}

/** A word that names a place, by its form: what follows it is not the store. */
const LIKE_A_PLACE = /^(?:[A-Za-z0-9][\w-]*:|\/|\.{1,2}(?:\/|$))/;

/** The arguments that a word at this position may be: the store, which comes first, may be left out. */
function argsAt(args: Args, typed: readonly string[]): Args {
  const last = args.at(-1);
  const at = (position: number): Args => args.slice(position, position + 1);
  const own = at(typed.length).length > 0 || last?.many !== true ? at(typed.length) : [last];
  if (args[0]?.store === undefined || LIKE_A_PLACE.test(typed[0] ?? '')) return own;
  return [...own, ...at(typed.length + 1)];
}

/** Completes a command's word or an argument. */
function completeWord(
  node: Node,
  { rest, typed }: { rest: readonly string[]; typed: readonly string[] },
  current: string,
): Completion {
  const children = typed.length === 0 ? wordCandidates(node) : [];
  const { command } = node;
  const args = argsAt(command?.args ?? [], typed);
  const choices = args.flatMap(({ type }) => (type.choices ?? []).map((text) => ({ text, describe: '' })));
  const known = args.flatMap(({ type: { names } }) =>
    names === undefined || command === undefined
      ? []
      : [{ names, line: { command, rest, start: current }, before: '' }],
  );
  return {
    candidates: starting([...children, ...choices], current),
    paths: args[0]?.type.completes ?? 'nothing',
    known,
  };
}

/** Returns the candidates for the last word. */
export function complete(root: Node, words: readonly string[]): Completion {
  const current = words.at(-1) ?? '';
  const typed = words.slice(0, -1);
  if (typed[0] === 'help') {
    const { candidates } = complete(root, [...typed.slice(1), current]);
    const globals = { text: 'globals', describe: 'flags and variables of every command' };
    return { ...NONE, candidates: typed.length === 1 ? [...candidates, ...starting([globals], current)] : candidates };
  }
  const { node, rest } = route(root, typed);
  const asFlag = rest.includes('--') ? undefined : completeFlag(node, rest, current);
  return asFlag ?? completeWord(node, { rest, typed: argsOf(flagsAt(node), rest) }, current);
}

/** The completion of the last word, with the names that `lookUp` finds. */
export async function completeWithNames(root: Node, words: readonly string[], lookUp: LookUp): Promise<Completion> {
  const { known, ...completion } = complete(root, words);
  const found = await Promise.all(
    known.map(async ({ names, line, before }) =>
      starting(await lookUp(names, line), line.start).map((one) => ({ ...one, text: before + one.text })),
    ),
  );
  return { ...completion, known, candidates: [...completion.candidates, ...found.flat()] };
}
