// Completion for shells: commands, flags, choices. Files and folders are left to the shell.
import { findFlagToken, looksLikeFlag } from './find-flag.js';
import { kebab, type Flag, type Flags } from './flag.js';
import { allFlags } from './global-flags.js';
import { flagText } from './help.js';
import { route } from './route.js';
import type { Node } from './tree.js';
import type { Completes } from './value-type.js';

export interface Candidate {
  readonly text: string;
  readonly describe: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Kind of paths that the shell may add. */
  readonly paths: Completes;
}

/**
 * bash hands over `--format=json` as three words and `s3://b` as three as well, because `=` and `:` break words there.
 * Other shells hand over whole words, which pass unchanged.
 */
export function joinBrokenWords(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let glue = false;
  for (const word of words) {
    const last = joined.at(-1);
    const isBreak = word === ':' || (word === '=' && last?.startsWith('--') === true && !last.includes('='));
    if (last !== undefined && (isBreak || glue)) joined[joined.length - 1] = last + word;
    else joined.push(word);
    glue = isBreak;
  }
  return joined;
}

const starting = (candidates: readonly Candidate[], start: string): readonly Candidate[] =>
  candidates.filter(({ text }) => text.startsWith(start));

function flagCandidates(flags: Flags): readonly Candidate[] {
  const own = Object.entries(flags).map(([key, flag]) => ({
    text: flag.kind === 'switch' && flag.defaultText === 'true' ? `--no-${kebab(key)}` : `--${kebab(key)}`,
    describe: flagText(flag),
  }));
  return [...own, { text: '--help', describe: 'print help' }];
}

function valueCompletion(flag: Flag, start: string, before = ''): Completion {
  const choices = (flag.type.choices ?? []).map((choice) => ({ text: `${before}${choice}`, describe: '' }));
  return { candidates: starting(choices, `${before}${start}`), paths: flag.type.completes };
}

/** Flags that may be typed at this node: those of its command, or for a group the global ones. */
const flagsAt = (node: Node): Flags => allFlags(node.command ?? { globals: node.globals });

function countArgs(flags: Flags, rest: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rest.length; index += 1) {
    const token = rest[index] ?? '';
    if (token === '--') return count + rest.length - index - 1;
    if (!looksLikeFlag(token)) count += 1;
    else {
      const found = findFlagToken(flags, token);
      if (found !== undefined && found.flag.kind !== 'switch' && found.value === undefined) index += 1;
    }
  }
  return count;
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
function completeFlag(flags: Flags, rest: readonly string[], current: string): Completion | undefined {
  const last = rest.at(-1) ?? '';
  const open = looksLikeFlag(last) ? findFlagToken(flags, last) : undefined;
  if (open !== undefined && takesValue(open.flag) && open.value === undefined)
    return valueCompletion(open.flag, current);
  if (!current.startsWith('-')) return undefined;
  const at = current.indexOf('=');
  if (at === -1) return { candidates: starting(flagCandidates(flags), current), paths: 'nothing' };
  const found = findFlagToken(flags, current);
  if (found === undefined) return { candidates: [], paths: 'nothing' };
  return valueCompletion(found.flag, current.slice(at + 1), current.slice(0, at + 1));
}

/** Completes a command's word or an argument. */
function completeWord(node: Node, count: number, current: string): Completion {
  const children = count === 0 ? wordCandidates(node) : [];
  const args = node.command?.args ?? [];
  const last = args.at(-1);
  const arg = args[count] ?? (last?.many === true ? last : undefined);
  const choices = (arg?.type.choices ?? []).map((text) => ({ text, describe: '' }));
  return { candidates: starting([...children, ...choices], current), paths: arg?.type.completes ?? 'nothing' };
}

/** Returns the candidates for the last word. */
export function complete(root: Node, words: readonly string[]): Completion {
  const all = joinBrokenWords(words);
  const current = all.at(-1) ?? '';
  const typed = all.slice(0, -1);
  if (typed[0] === 'help') {
    const { candidates, paths } = complete(root, [...typed.slice(1), current]);
    const globals = { text: 'globals', describe: 'flags and variables of every command' };
    return { candidates: typed.length === 1 ? [...candidates, ...starting([globals], current)] : candidates, paths };
  }
  const { node, rest } = route(root, typed);
  const flags = flagsAt(node);
  const asFlag = rest.includes('--') ? undefined : completeFlag(flags, rest, current);
  return asFlag ?? completeWord(node, countArgs(flags, rest), current);
}

/** The output of `archiver __complete`: one candidate a line with its description, then `:file`, `:folder` or `:nothing`. */
export function completions(root: Node, words: readonly string[]): string {
  const { candidates, paths } = complete(root, words);
  const lines = candidates.map(({ text, describe }) => (describe === '' ? text : `${text}\t${describe}`));
  return `${[...lines, `:${paths}`].join('\n')}\n`;
}
