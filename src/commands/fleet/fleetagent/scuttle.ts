import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import { flag } from '../../../cli/flag.js';
import { accessFlags, storeFlags, yesFlag } from '../../kit/flags.js';

const { region, profile, caBundle } = { ...storeFlags('us-west-2'), ...accessFlags };

export const command = defineCommand({
  path: 'fleetagent scuttle',
  summary: 'delete the identity of a writer, and its data on request',
  description:
    'Deletes what `fleetagent init --mint` made: the access keys first, then the user archiver-ID and its policy. Other policies are detached from it ' +
    'and kept. What is gone already is no failure, so an interrupted run is finished by another one. A user or policy of this ' +
    'name that --mint did not make is refused before anything is deleted.\n' +
    '--purge-data then deletes what archiver wrote below writers/ID/ and fleet/ID/ of this fleet, older versions included. It counts first, ' +
    'needs --yes, and cannot be taken back. Objects of others there are left alone.',
  args: [arg.text('WRITER_ID', { describe: 'the writer, as it was named to `fleetagent init`' })],
  flags: {
    purgeData: flag.text({ placeholder: 'S3_URL', describe: 'delete the data of the writer in this fleet, too' }),
    ...yesFlag,
    region,
    profile,
    caBundle,
  },
  rules: [
    {
      kind: 'check',
      text: '--purge-data deletes every version that the writer stored, for good: it needs --yes',
      ok: ({ purgeData, yes }) => purgeData === undefined || yes,
    },
  ],
  examples: [
    'archiver fleetagent scuttle nas-01 --profile admin',
    'archiver fleetagent scuttle nas-01 --purge-data s3://acme-archive/lab --yes',
  ],
  isRecorded: true,
  exits: {
    0: 'deleted, or there was nothing',
    1: 'the identity is not ours, or IAM or the store failed; no data was deleted unless it says so',
    3: 'some of the data could not be deleted, or older versions could not be seen',
  },
  async run(values, [writerId], context) {
    const { runScuttle } = await import('./run-scuttle.js');
    return runScuttle(values, writerId, context);
  },
});
