import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Context } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { PROVIDERS } from '../../core/store/providers/provider.js';
import { STORAGE_CLASSES } from '../../core/store/providers/storage-classes.js';
import { detectedStoreFlags } from '../kit/flags.js';

const flags = {
  nonInteractive: flag.on({
    describe: 'ask nothing: use what is given here, in variables and in the config file, else a folder',
  }),
  output: flag.file({
    placeholder: 'FILE',
    describe: 'the config file to make or change, instead of the one that is found',
  }),
  provider: flag.choice(PROVIDERS, {
    only: 's3',
    describe: 'who runs the store: its address and region are filled in as far as they are known (docs/providers.md)',
  }),
  ...detectedStoreFlags,
  storageClass: flag.choice(STORAGE_CLASSES, { only: 's3', describe: 'storage class of chunks, to be the setting' }),
};

export const command = defineCommand({
  path: 'setup',
  summary: 'choose a store, check it, and write the config file',
  description:
    'Asks on a terminal who has the store (a folder, AWS, another service, or a server of your own), with which credentials, and how; fills in ' +
    'address and region as far as they are known (docs/providers.md); finds the profiles of ' +
    'the AWS files, single sign-on and variables. Puts, lists, reads and deletes a small object and names the IAM actions that are missing, ' +
    'archives and restores 1 MB in a folder of its own there, which is deleted again, and shows what changes in the config file before it ' +
    'writes. It ends with a table of what the store can do, and what follows from it (docs/access.md). Esc goes back, and nothing is lost. A file that is there is changed: comments and other settings stay as they are.\n' +
    'Keys that are typed go to the AWS credentials file (~/.aws/credentials, readable for you alone) as a profile of their own; the config ' +
    'file holds no secrets. Without --output the file is the one that `archiver config` finds, except for one in the current folder, ' +
    'else ~/.archiver.yaml. --non-interactive does the same checks; where nothing names a store it is the folder ~/archiver-store.',
  args: [arg.url('STORE', { describe: 'the store to begin with', optional: true })],
  flags,
  examples: [
    'archiver setup',
    'archiver setup --non-interactive',
    'archiver setup s3://acme-archive/lab --profile lab --non-interactive',
    'archiver setup s3://acme-archive --provider b2 --region us-west-004 --profile b2 --non-interactive',
    'archiver setup /mnt/backup/archives --non-interactive --output ./archiver.yaml',
  ],
  exits: {
    0: 'written, or the file said it already',
    1: 'the store cannot be used, or setup was left: nothing was written',
  },
  ignoresConfigFile: true,
  hasScreen: true,
  async run(values, [url], context: Context<'setup'>) {
    const { runSetup } = await import('./run-setup.js');
    return await runSetup(values, url, context);
  },
});
