// Maps commands of similar programs (restic, borg, kopia, rclone, duplicity, aws, tar) to those of archiver.
import { findNode, type Node } from './tree.js';

export const OTHER_TOOLS_COMMANDS: Readonly<Record<string, string>> = {
  add: 'upload',
  append: 'sync',
  archive: 'upload',
  backup: 'upload',
  check: 'verify',
  cleanup: 'dataset prune',
  'collection-status': 'dataset versions',
  compact: 'dataset prune',
  configure: 'setup',
  cp: 'upload',
  cryptcheck: 'verify',
  delete: 'dataset prune',
  diff: 'dataset diff',
  dump: 'cat',
  du: 'info',
  expire: 'dataset prune',
  export: 'restore',
  'export-tar': 'restore',
  extract: 'restore',
  forget: 'dataset prune',
  full: 'upload',
  get: 'restore',
  import: 'migrate',
  'import-tar': 'migrate',
  incr: 'sync',
  incremental: 'sync',
  init: 'setup',
  'list-current-files': 'list',
  log: 'dataset versions',
  ls: 'list',
  lsd: 'list',
  lsf: 'list',
  lsjson: 'list',
  lsl: 'list',
  maintenance: 'dataset prune',
  mb: 'setup',
  mirror: 'sync',
  ncdu: 'browse',
  prune: 'dataset prune',
  purge: 'scuttle',
  push: 'upload',
  put: 'upload',
  recover: 'repair',
  'remove-all-but-n-full': 'dataset prune',
  'remove-older-than': 'dataset prune',
  'repo-create': 'setup',
  rm: 'dataset prune',
  save: 'upload',
  search: 'find',
  show: 'info',
  size: 'info',
  snapshot: 'upload',
  snapshots: 'dataset versions',
  stat: 'info',
  stats: 'info',
  tag: 'dataset tag',
  thaw: 'restore',
  tree: 'browse',
  ui: 'browse',
  update: 'sync',
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
