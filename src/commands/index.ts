// Every command, in one list. Declarations are light: what a command needs is imported inside its `run`.
import type { Command, Group } from '../cli/command.js';
import { buildTree, type Node } from '../cli/tree.js';
import { command as completion } from './completion.js';
import { command as config } from './config.js';
import { command as download } from './download.js';
import { command as info } from './info.js';
import { command as list } from './list.js';
import { command as restore } from './restore.js';
import { command as verify } from './verify.js';
import { command as upload } from './upload.js';

const COMMANDS: readonly Command[] = [upload, list, info, verify, download, restore, config, completion];

/** One line for each group of commands that is not itself a command. */
const GROUPS: readonly Group[] = [];

const SUMMARY = 'keep folders in an object store, and get them back';

/** The whole command tree. */
export const program = (): Node => buildTree(COMMANDS, GROUPS, SUMMARY);
