// Finds the command in argv: the longest run of words that the tree knows. Flags may stand before or between the words
// (`archiver --verbose cost --json forecast`), so their values must not be taken for words.
import { usageError } from '../core/platform/failures/errors.js';
import { findLongFlag, findShortFlag, looksLikeFlag } from './find-flag.js';
import type { Flags } from './flag.js';
import { ownCommandFor } from './other-tools.js';
import { suggest } from '../core/platform/text/suggest.js';
import type { Declaration } from './declaration.js';
import { callOf, commandsUnder, type Node } from './tree.js';

export interface Route<C extends Declaration> {
  readonly node: Node<C>;
  /** Everything in argv but the words, in order. */
  readonly rest: readonly string[];
  /** The first word that is not a command here; for a command it is its first argument. */
  readonly word: string | undefined;
}

/** Looks up the flags of all commands below a node: without merging those of every command, which each call would wait for. */
function takesNextToken(node: Node, token: string, after: readonly string[]): boolean {
  if (token.includes('=') || after.length === 0) return false;
  const findIn = (flags: Flags) =>
    token.startsWith('--')
      ? findLongFlag(flags, token.slice(2))
      : findShortFlag(flags, token.length === 2 ? token.charAt(1) : '');
  const global = findIn(node.globals.flags);
  const found = [...commandsUnder(node)].flatMap(({ flags = {} }) => {
    const hit = findIn(flags) ?? (global !== undefined && global.key in flags ? undefined : global);
    return hit === undefined ? [] : [hit.flag];
  });
  if (found.every((flag) => flag.kind === 'switch')) return false;
  if (found.every((flag) => flag.kind !== 'switch')) return true;
  // Where commands disagree (a switch here, a value there): what is no word is a value, when words follow.
  const [next = '', ...rest] = after;
  return !looksLikeFlag(next) && !node.children.has(next) && rest.some((word) => node.children.has(word));
}

/** Splits argv into the command's node and what remains for it. */
export function route<C extends Declaration>(root: Node<C>, argv: readonly string[]): Route<C> {
  let node = root;
  const rest: string[] = [];
  let index = 0;
  for (; index < argv.length; index += 1) {
    const token = argv[index] ?? '';
    if (token === '--') break;
    if (looksLikeFlag(token)) {
      rest.push(token);
      if (takesNextToken(node, token, argv.slice(index + 1))) rest.push(argv[(index += 1)] ?? '');
      continue;
    }
    const child = node.children.get(token);
    if (child === undefined) break;
    node = child;
  }
  const word = argv[index] === '--' ? undefined : argv[index];
  return { node, rest: [...rest, ...argv.slice(index)], word };
}

/** The failure of a group called without one of its commands, or with a word that it does not know. */
export function noSuchCommand(node: Node, word: string | undefined): Error {
  const ours = ownCommandFor(node, word);
  if (ours !== undefined) return usageError(`"${word}" is called \`${ours.call}\` here`, ours.hint);
  const names = [...node.children.keys()].sort();
  if (word === undefined)
    return usageError(`${callOf(node)} needs one of: ${names.join(', ')}`, `${callOf(node)} --help`);
  const near = suggest(word, names);
  const tail = near === undefined ? '' : `; did you mean "${near}"?`;
  return usageError(`"${[...node.words, word].join(' ')}" is not a command${tail}`, `${callOf(node)} --help`);
}
