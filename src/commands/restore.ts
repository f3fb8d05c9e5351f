import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { conflicts, requires } from '../cli/rule.js';
import { limitFlags, outputFlags, uploadTargetFlags, writeFlags } from './_shared.js';

const flags = {
  ...uploadTargetFlags('us-east-1'),
  file: flag.repeat({
    placeholder: 'PATH',
    describe: 'restore this path; a folder stands for all below it; repeatable',
  }),
  hash: flag.text({ placeholder: 'MD5', describe: 'restore the files with this content' }),
  all: flag.on({ describe: 'restore everything' }),
  datasetId: flag.text({
    placeholder: 'ID',
    describe: 'restore a version of this dataset; S3_URL is then the bucket and prefix that uploads went to',
  }),
  version: flag.int(1)({ describe: 'with --dataset-id: this version instead of the newest' }),
  asOf: flag.text({
    placeholder: 'YYYY-MM-DD',
    describe: 'with --dataset-id: the newest version made by the end of this day (UTC)',
  }),
  ...writeFlags,
  dryRun: flag.on({ describe: 'show what would be restored and fetched; write nothing' }),
  cacheGb: flag.int(
    0,
    1_000_000,
  )({
    default: 10,
    describe: 'size of the cache of fetched data; 0 means 10. --all fills it only when this is given',
  }),
  workers: flag.int(1, 64)({ default: 4, describe: 'requests at a time' }),
  limitDownload: limitFlags.limitDownload,
  ...outputFlags,
};

/** What the flags become. */
export type RestoreValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'restore',
  summary: 'restore files of an upload',
  description:
    'Restores what --file and --hash name (both together add up), or everything with --all. Files land under OUTPUT_DIR ' +
    'by their path in the source folder, with times, permissions, links, holes and attributes; owners only when run as ' +
    'root. A file appears under its name when it is whole and its checksum is right. Nothing is written outside of ' +
    'OUTPUT_DIR or through a symbolic link in it.\n' +
    'What is in place already with the same size and time is left alone and counted as unchanged (--overwrite if-changed); ' +
    'so an interrupted restore goes on when it is run again. A folder never gives way to a file, nor a file to a folder.\n' +
    'A file that fails is named and the others are restored.',
  args: [
    arg.text('S3_URL', {
      describe: 'the upload, or with --dataset-id its bucket and prefix; leave it out with --bucket',
      optional: true,
    }),
    arg.folder('OUTPUT_DIR', { describe: 'where the files go; made when it is missing', optional: true }),
  ],
  flags,
  rules: [
    conflicts('all', ['file', 'hash']),
    requires('version', 'datasetId'),
    requires('asOf', 'datasetId'),
    conflicts('version', ['asOf']),
    conflicts('datasetId', ['uploadId']),
    {
      kind: 'check',
      text: 'say what to restore: --file PATH, --hash MD5, or --all',
      ok: (v) => v.all || v.file.length > 0 || v.hash !== undefined,
    },
    {
      kind: 'check',
      text: '--hash wants an MD5: 32 hex digits',
      ok: (v) => v.hash === undefined || /^[0-9a-f]{32}$/i.test(v.hash),
    },
  ],
  examples: [
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --file results/summary.csv',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --all',
    'archiver restore s3://acme-archive/lab ./out --all --dataset-id results-1a2b3c4d --as-of 2026-03-31',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --hash 9e107d9d372bb6826bd81d3542a419d6 --dry-run',
  ],
  exits: {
    0: 'restored, or in place already',
    1: 'failed, or none of the files could be restored',
    3: 'finished, but some files could not be restored',
  },
  async run(values, [url, outputDir], context) {
    const { runRestore } = await import('./restore/run-restore.js');
    return runRestore(values, [url, outputDir], context);
  },
});
