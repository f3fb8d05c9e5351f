import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flag } from '../cli/flag.js';
import { conflicts } from '../cli/rule.js';
import { usageError } from '../core/platform/failures/errors.js';
import { allWritersFlag } from './kit/all-writers.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import { cacheFlag, limitFlags, uploadArg, uploadTargetFlags, uploadTargetRules } from './kit/flags.js';
import { memoryLimit } from './kit/memory-limit.js';
import { findUpload } from './kit/upload-target.js';

const flags = {
  ...uploadTargetFlags('us-east-1'),
  ...allWritersFlag,
  file: flag.repeat({
    placeholder: 'PATH',
    required: true,
    describe: 'the file as it is listed (\\xNN is a byte); several are printed one after the other; repeatable',
  }),
  ...cacheFlag(),
  limitDownload: limitFlags.limitDownload,
  ...budgetGateFlags,
};

export const command = defineCommand({
  path: 'cat',
  summary: 'print files of an upload to stdout',
  description:
    'Fetches only the parts of the chunks that hold the files, and writes their content to stdout as it comes. Each part is checked before it is written, and each file at its end: if it does not ' +
    'have the size and MD5 in the manifest, the exit status is 1 and stderr says so; what was written by then is wrong. ' +
    'Nothing is written before every path is known to be a file.\n' +
    'On a terminal, control characters are escaped, and what is no text is refused. A reader that wants no more, such as head, ends it quietly.\n' +
    'What lies in cold storage is not requested here: the command that does is named, with what it costs.',
  args: [uploadArg],
  flags,
  rules: [...uploadTargetRules, conflicts('allWriters', ['uploadId'])],
  examples: [
    'archiver cat s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --file results/summary.csv',
    'archiver cat s3://acme-archive/dumps --dataset-id db-1a2b3c4d --file db.sql | psql db',
  ],
  isRecorded: true,
  exits: {
    0: 'printed, or nobody read any more',
    1: 'failed: what was printed is not the whole file',
    4: 'it would exceed a budget, or a price is not known and cost is limited; nothing was fetched',
  },
  keepsMemoryLimit: () => true,
  async run(values, [url], context: Context) {
    if (context.json)
      throw usageError('cat prints the content of files and has no --json', 'archiver list and archiver find have');
    memoryLimit(context, 'reading content'); // refuses a limit that is too small before anything is opened
    const target = await findUpload(url, values, context);
    const { printFiles } = await import('./kit/print-files.js');
    await printFiles(values.file, { target, values }, context);
  },
});
