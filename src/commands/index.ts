// Every command, in one list. Declarations are light: what a command needs is imported inside its `run`.
import type { Command, Group } from '../cli/command.js';
import { buildTree, type Node } from '../cli/tree.js';
import { command as balance } from './balance.js';
import { command as completion } from './completion.js';
import { command as config } from './config.js';
import { command as createUpload } from './create/upload.js';
import { command as datasetDiff } from './dataset/diff.js';
import { command as datasetList } from './dataset/list.js';
import { command as datasetPrune } from './dataset/prune.js';
import { command as datasetVersions } from './dataset/versions.js';
import { command as download } from './download.js';
import { command as info } from './info.js';
import { command as list } from './list.js';
import { command as migrate } from './migrate.js';
import { command as repair } from './repair.js';
import { command as restore } from './restore.js';
import { command as resume } from './resume.js';
import { command as resumeClean } from './resume/clean.js';
import { command as resumeList } from './resume/list.js';
import { command as scuttle } from './scuttle.js';
import { command as verify } from './verify.js';
import { command as sync } from './sync.js';
import { command as upload } from './upload.js';

const COMMANDS: readonly Command[] = [
  upload,
  sync,
  resume,
  resumeList,
  resumeClean,
  createUpload,
  list,
  info,
  verify,
  balance,
  download,
  restore,
  migrate,
  repair,
  scuttle,
  datasetList,
  datasetVersions,
  datasetDiff,
  datasetPrune,
  config,
  completion,
];

/** One line for each group of commands that is not itself a command. */
const GROUPS: readonly Group[] = [
  { path: 'create', summary: 'make archives and keys' },
  { path: 'dataset', summary: 'list, compare and prune the versions of folders' },
];

const SUMMARY = 'keep folders in an object store, and get them back';

/** The whole command tree. */
export const program = (): Node => buildTree(COMMANDS, GROUPS, SUMMARY);
