import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flags } from './copy/flags.js';
import { lockRules } from './kit/lock-flags.js';

export const command = defineCommand({
  path: 'copy',
  summary: 'copy versions to another store, only what is missing there',
  description:
    'Copies versions of datasets with all that they need, byte for byte and under the same keys: to another provider, bucket, ' +
    'folder or prefix. FROM is a store, or an upload that is a version. Everything is read whole and compared with its SHA-256 ' +
    'before it is put; a version is listed in TO when all of it is there, and only then. Interrupted at any point, the same ' +
    'command goes on: what TO has with its size is not sent again (--deep reads it, too). Nothing in TO is ever replaced or deleted: ' +
    'a version that was retired there does not come back, and where an ordinal is another version there, nothing is copied.\n' +
    'Versions keep their numbers, times, upload ids and tags. One version without those that it builds on takes with it what it ' +
    'needs of them. What a version records of its storage class, lock and key is what it was made with; what holds in TO is what is ' +
    'said here. Chunks in cold storage are not requested: the command that does is named, with its price.\n' +
    'Encrypted manifests travel as they are, under their KMS key, and open where the place ends in the same writers/ID: allow ' +
    'others to use that key to share them. Other keys take a restore and an upload. Writers below FROM are copied one by one.',
  args: [
    arg.text('FROM', {
      describe: 'store or upload to copy: s3://bucket[/prefix], file:///folder or a path',
      // Beside a TO that is a path it is not misplaced.
      looksLike: /^(?:s3:\/\/|file:\/\/|\/|\.{1,2}(?:\/|$))/,
    }),
    arg.url('TO', { describe: 'store to copy to: s3://bucket[/prefix], file:///folder or a path' }),
  ],
  flags,
  rules: lockRules,
  examples: [
    'archiver copy s3://acme-archive/lab file:///mnt/backup/lab',
    'archiver copy s3://acme-archive/lab s3://colleague/shared --dataset survey --version latest --to-profile colleague',
    'archiver copy s3://acme-archive/lab s3://new-archive/lab --to-endpoint-url https://s3.eu-central-003.backblazeb2.com --dry-run',
  ],
  isRecorded: true,
  exits: {
    0: 'every version that was asked for is in TO; those that were retired there are left out, and named',
    1: 'failed; what was copied stays, and no version is listed in TO that is not whole',
    3: 'some versions were not copied, and are named; all others are in TO',
    4: 'it would exceed a budget, TO has forgotten datasets (--new-store), or it creates no key only once and may not be listed',
  },
  keepsMemoryLimit: () => true,
  async run(values, [from, to], context: Context<'copy'>) {
    const { runCopy } = await import('./copy/run-copy.js');
    return await runCopy({ values, from, to }, context);
  },
});
