// All commands of the archive shell, in the order of its help.
import type { ArchiveCommand } from '../archive-command.js';
import { cat } from './cat.js';
import { cd, pwd } from './cd.js';
import { du } from './du.js';
import { find } from './find.js';
import { get } from './get.js';
import { head } from './head.js';
import { ls } from './ls.js';
import { stage } from './stage.js';
import { stat } from './stat.js';
import { tree } from './tree.js';

export const ARCHIVE_COMMANDS: readonly ArchiveCommand[] = [ls, cd, pwd, cat, head, stat, find, tree, du, stage, get];
