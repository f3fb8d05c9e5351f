// The command tree: every command and group by its words. A node may be a command and a group at once (`restore`, `restore jobs`). Help,
// completion, docs and the contract tests use it.
import { type Declaration, type Group, wordsOf } from './declaration.js';
import type { Globals } from './globals.js';
import { FRAMEWORK } from './settings.js';
import { withPlaceFlags } from './store-setting.js';

export interface Node<C extends Declaration = Declaration> {
  readonly words: readonly string[];
  readonly summary: string;
  readonly command: C | undefined;
  readonly children: ReadonlyMap<string, Node<C>>;
  /** Flags and settings of every command in the program, the same in all nodes. */
  readonly globals: Globals;
}

interface GrowingNode<C> {
  words: readonly string[];
  summary: string;
  command: C | undefined;
  children: Map<string, GrowingNode<C>>;
  globals: Globals;
}

function nodeAt<C>(root: GrowingNode<C>, words: readonly string[]): GrowingNode<C> {
  let node = root;
  for (const [depth, word] of words.entries()) {
    let child = node.children.get(word);
    if (child === undefined) {
      const { globals } = root;
      child = { words: words.slice(0, depth + 1), summary: '', command: undefined, children: new Map(), globals };
      node.children.set(word, child);
    }
    node = child;
  }
  return node;
}

/** Builds the tree; `summary` is that of the program, and `globals` are the flags and settings of all its commands. */
export function buildTree<C extends Declaration>(
  commands: readonly C[],
  groups: readonly Group[],
  summary: string,
  globals = FRAMEWORK,
): Node<C> {
  const root: GrowingNode<C> = { words: [], summary, command: undefined, children: new Map(), globals };
  for (const { path, summary } of groups) nodeAt(root, wordsOf(path)).summary = summary;
  for (const command of commands) {
    const node = nodeAt(root, wordsOf(command.path));
    if (node.command !== undefined) throw new Error(`two commands are called "${command.path}"`);
    node.command = { ...withPlaceFlags(command), globals };
    node.summary = command.summary;
  }
  return root;
}

/** Returns the node that these words name exactly. */
export function findNode<C extends Declaration>(root: Node<C>, words: readonly string[]): Node<C> | undefined {
  let node: Node<C> | undefined = root;
  for (const word of words) node = node?.children.get(word);
  return node;
}

/** Yields this node's command and all below it, in the order of their words. */
export function* commandsUnder<C extends Declaration>(node: Node<C>): Generator<C> {
  if (node.command !== undefined) yield node.command;
  for (const [, child] of [...node.children].sort(([a], [b]) => (a < b ? -1 : 1))) yield* commandsUnder(child);
}

/** The words to type for a node: `archiver restore jobs`. */
export const callOf = (node: Pick<Node, 'words'>): string => ['archiver', ...node.words].join(' ');
