// The commands that are called by people and scripts every day: a call of one of them loads no other (called.ts). Declarations are light: what a
// command needs is imported inside its `run`.
import type { Command } from '../cli/command.js';
import { command as cat } from './cat.js';
import { command as commit } from './commit.js';
import { command as download } from './download.js';
import { command as find } from './find.js';
import { command as history } from './history.js';
import { command as info } from './info.js';
import { command as list } from './list.js';
import { command as plan } from './plan.js';
import { command as planStatus } from './plan/status.js';
import { command as restore } from './restore.js';
import { command as restoreJobsCheck } from './restore/jobs/check.js';
import { command as restoreJobsClean } from './restore/jobs/clean.js';
import { command as restoreJobsDownload } from './restore/jobs/download.js';
import { command as restoreJobsList } from './restore/jobs/list.js';
import { command as resume } from './resume.js';
import { command as resumeClean } from './resume/clean.js';
import { command as resumeList } from './resume/list.js';
import { command as sync } from './sync.js';
import { command as upload } from './upload.js';
import { command as verify } from './verify.js';
import { command as work } from './work.js';

/** Each first word is that of commands in this list alone (test/cli/called.test.ts). */
export const EVERYDAY: readonly Command[] = [
  upload,
  sync,
  resume,
  resumeList,
  resumeClean,
  plan,
  planStatus,
  work,
  commit,
  list,
  find,
  history,
  info,
  cat,
  verify,
  download,
  restore,
  restoreJobsList,
  restoreJobsCheck,
  restoreJobsDownload,
  restoreJobsClean,
];
