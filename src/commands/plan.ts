import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { conflicts } from '../cli/rule.js';
import { listRule } from './kit/flags.js';
import { lockRules } from './kit/lock-flags.js';
import { tierRules } from './upload/tier-flags.js';
import { planFlags } from './parts/flags.js';

export const command = defineCommand({
  path: 'plan',
  summary: 'plan one version of a folder that many workers make',
  description:
    'Lists the folder once, compares it with the latest version of the dataset as `archiver sync` does, and cuts the list of ' +
    'what is to be packed into parts of equal cost: bytes, and 64 KiB for each file. Where nothing has changed, nothing is ' +
    'planned. The plan goes to the store under a new upload id, and is never changed. `archiver work` does one part of it, ' +
    'on any machine that has the folder under the same path and may use the store; `archiver commit` makes a version of the ' +
    'results and of what has not changed. Any part may be done twice, be killed and be begun again: its first result ' +
    'counts. A file is never divided between parts.\n' +
    'Names of one file that fall into different parts are restored as one file; each part stores its content once, which ' +
    'the plan says. Equal files are found within a part.\n' +
    'What is asked of an upload or a sync is asked here: budgets, an empty or halved folder, too many deletions ' +
    '(--allow-mass-delete), a store that has forgotten the dataset (--new-store). Manifests cannot be encrypted ' +
    '(--encrypt-manifest is refused); chunks can.',
  args: [
    arg.folder('SOURCE_DIR', { describe: 'folder to archive' }),
    arg.url('DESTINATION', { describe: 's3://bucket[/prefix] or file:///folder, instead of --bucket' }),
  ],
  flags: planFlags,
  rules: [
    conflicts('parts', ['partSize']),
    listRule,
    {
      kind: 'check',
      text: '--encrypt-manifest cannot be planned: parts of one manifest are written by many; use `archiver upload`',
      ok: (v) => !v.encryptManifest,
    },
    ...lockRules,
    ...tierRules,
  ],
  examples: [
    'archiver plan /scratch/run-0412 s3://acme-archive/lab',
    'archiver plan /scratch/run-0412 s3://acme-archive/lab --parts 64',
    'archiver plan ./photos file:///mnt/backup --part-size 1GiB --json',
  ],
  isRecorded: true,
  exits: {
    0: 'planned, or nothing has changed',
    1: 'failed; there is no plan',
    3: 'planned, but some files or folders could not be read',
    4: 'it would exceed a budget, most of the folder is gone (--allow-mass-delete), or the store has forgotten the dataset (--new-store); nothing was planned',
  },
  async run(values, target, context: Context<'plan'>) {
    const { runPlan } = await import('./parts/run-plan.js');
    return await runPlan(values, target, context);
  },
});
