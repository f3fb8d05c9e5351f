import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { storeFlags } from './kit/flags.js';

const flags = {
  bucket: flag.text({ short: 'b', placeholder: 'NAME', describe: 'bucket, when no URL is given' }),
  prefix: flag.text({
    short: 'p',
    placeholder: 'PREFIX',
    allowEmpty: true, // told apart below, so that the shared setting storage.prefix may be empty for other commands
    describe: 'prefix in --bucket; the whole bucket when not given',
  }),
  ...storeFlags('us-west-2'),
  dryRun: flag.on({ describe: 'show what would be deleted, and delete nothing' }),
  force: flag.on({ describe: 'ask nothing' }),
};

/** What the flags become. */
export type ScuttleValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'scuttle',
  summary: 'delete everything that archiver wrote under a bucket or prefix',
  description:
    'Takes what lies below uploads/ (of upload ids), datasets/, writers/ and fleet/ of this place and has the names that ' +
    'archiver gives; everything else is left alone, counted and named. Older versions and delete markers of these ' +
    'objects go too, and their unfinished multipart uploads are aborted. Version records go first, then manifests, then ' +
    'the rest; run it again after an interruption. Stop uploads and agents before.\n' +
    'On a terminal it shows what it found and asks three times: type the name of the bucket (or the path of the folder), ' +
    'SCUTTLE, and yes. Nothing can be brought back.',
  args: [
    arg.url('S3_URL', { describe: 's3://bucket[/prefix] or file:///folder, instead of --bucket', optional: true }),
  ],
  flags,
  rules: [
    {
      kind: 'check',
      text: 'give either S3_URL or --bucket',
      ok: (v, [url]) => (url === undefined) !== (v.bucket === undefined),
    },
    {
      kind: 'check',
      text: '--prefix goes with --bucket; S3_URL holds its own',
      ok: (v) => v.prefix === undefined || v.bucket !== undefined,
    },
    {
      kind: 'check',
      // A variable that is not set must not widen it to the whole bucket.
      text: '--prefix must not be empty: leave it out for the whole bucket',
      ok: (v) => v.prefix !== '',
    },
  ],
  examples: [
    'archiver scuttle --bucket acme-archive --prefix lab --dry-run',
    'archiver scuttle s3://acme-archive/lab',
    'archiver scuttle file:///mnt/backup --force',
  ],
  exits: {
    0: 'deleted, or there was nothing of archiver',
    1: 'failed, or cancelled by an answer that does not match (nothing was deleted)',
    3: 'some of it could not be deleted, or older versions could not be seen; the result names what is left',
  },
  async run(values, [url], context) {
    const { runScuttle } = await import('./scuttle/run-scuttle.js');
    return runScuttle(values, url, context);
  },
});
