// Maps commands of similar programs (restic, borg, kopia, rclone, aws, tar) to those of archiver.
import { findNode, type Node } from './tree.js';

export const OTHER_TOOLS_COMMANDS: Readonly<Record<string, string>> = {
  add: 'upload',
  archive: 'upload',
  backup: 'upload',
  check: 'verify',
  copy: 'upload',
  cp: 'upload',
  delete: 'dataset prune',
  diff: 'dataset diff',
  dump: 'cat',
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

/** The command to type instead, and the command for help about it. */
export interface OwnCommand {
  readonly call: string;
  readonly hint: string;
}

/** Returns our command for that of another program; undefined for other words, and if the tree has no such command. */
export function ownCommandFor(node: Node, word: string | undefined): OwnCommand | undefined {
  if (word === undefined || node.words.length > 0) return undefined;
  if (word === 'version') return { call: 'archiver --version', hint: 'archiver --version' };
  const ours = OTHER_TOOLS_COMMANDS[word];
  if (ours === undefined || findNode(node, ours.split(' ')) === undefined) return undefined;
  return { call: `archiver ${ours}`, hint: `archiver help ${ours}` };
}
