// Words that other programs of this kind have for what archiver does (restic, borg, kopia, rclone, aws, tar), and ours.
import { findNode, type Node } from './tree.js';

export const OTHER_TOOLS_COMMANDS: Readonly<Record<string, string>> = {
  add: 'upload',
  archive: 'upload',
  backup: 'upload',
  cat: 'shell',
  check: 'verify',
  copy: 'upload',
  cp: 'upload',
  delete: 'dataset prune',
  diff: 'dataset diff',
  du: 'info',
  export: 'restore',
  extract: 'restore',
  forget: 'dataset prune',
  get: 'restore',
  history: 'dataset versions',
  import: 'migrate',
  log: 'dataset versions',
  ls: 'list',
  mirror: 'sync',
  mount: 'browse',
  ncdu: 'browse',
  prune: 'dataset prune',
  purge: 'scuttle',
  push: 'upload',
  put: 'upload',
  rm: 'dataset prune',
  save: 'upload',
  show: 'info',
  snapshot: 'upload',
  snapshots: 'dataset versions',
  stat: 'info',
  stats: 'info',
  thaw: 'restore',
  tree: 'browse',
  ui: 'browse',
  versions: 'dataset versions',
};

/** What to type instead of a peer's word, and what to type to know more. */
export interface OurWords {
  readonly call: string;
  readonly hint: string;
}

/** Our words for that of a peer; undefined for other words, and where the tree has no such command. */
export function ourWords(node: Node, word: string | undefined): OurWords | undefined {
  if (word === undefined || node.words.length > 0) return undefined;
  if (word === 'version') return { call: 'archiver --version', hint: 'archiver --version' };
  const ours = OTHER_TOOLS_COMMANDS[word];
  if (ours === undefined || findNode(node, ours.split(' ')) === undefined) return undefined;
  return { call: `archiver ${ours}`, hint: `archiver help ${ours}` };
}
