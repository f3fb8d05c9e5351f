// The command tree: every command and group by its words. A node may be a command and a group at once (`restore`,
// `restore jobs`). Help, completion, docs and the contract tests walk it.
import { wordsOf, type Command, type Group } from './command.js';

export interface Node {
  readonly words: readonly string[];
  readonly summary: string;
  readonly command: Command | undefined;
  readonly children: ReadonlyMap<string, Node>;
}

interface GrowingNode {
  words: readonly string[];
  summary: string;
  command: Command | undefined;
  children: Map<string, GrowingNode>;
}

function nodeAt(root: GrowingNode, words: readonly string[]): GrowingNode {
  let node = root;
  for (const [depth, word] of words.entries()) {
    let child = node.children.get(word);
    if (child === undefined) {
      child = { words: words.slice(0, depth + 1), summary: '', command: undefined, children: new Map() };
      node.children.set(word, child);
    }
    node = child;
  }
  return node;
}

/** Builds the tree; the root's summary is the program's. */
export function buildTree(commands: readonly Command[], groups: readonly Group[], summary: string): Node {
  const root: GrowingNode = { words: [], summary, command: undefined, children: new Map() };
  for (const { path, summary } of groups) nodeAt(root, wordsOf(path)).summary = summary;
  for (const command of commands) {
    const node = nodeAt(root, wordsOf(command.path));
    if (node.command !== undefined) throw new Error(`two commands are called "${command.path}"`);
    node.command = command;
    node.summary = command.summary;
  }
  return root;
}

/** The node that these words name exactly. */
export function findNode(root: Node, words: readonly string[]): Node | undefined {
  let node: Node | undefined = root;
  for (const word of words) node = node?.children.get(word);
  return node;
}

/** This node's command and all below it, in order of their words. */
export function* commandsUnder(node: Node): Generator<Command> {
  if (node.command !== undefined) yield node.command;
  for (const [, child] of [...node.children].sort(([a], [b]) => (a < b ? -1 : 1))) yield* commandsUnder(child);
}

/** How a node is typed: `archiver restore jobs`. */
export const callOf = (node: Pick<Node, 'words'>): string => ['archiver', ...node.words].join(' ');
