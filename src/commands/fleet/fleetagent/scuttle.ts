import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import { flag } from '../../../cli/flag.js';
import { requires } from '../../../cli/rule.js';
import { accessFlags, storeFlags, yesFlag } from '../../kit/flags.js';
import { providerFlag } from './provider-flag.js';

const { region, profile, caBundle, endpointUrl } = { ...storeFlags('us-west-2'), ...accessFlags };

export const command = defineCommand({
  path: 'fleetagent scuttle',
  summary: 'delete the identity of a writer, and its data on request',
  description:
    'Deletes what `fleetagent init --mint` made: the access keys first, then the user archiver-ID and its policy. Other policies are detached from it ' +
    'and kept. What is gone already is no failure, so an interrupted run is finished by another one. A user or policy of this ' +
    'name that --mint did not make is refused before anything is deleted.\n' +
    'With --endpoint-url the server is not AWS, which alone has this IAM: the data is deleted, and the key of the writer, which goes on to work, is ' +
    'revoked by hand before. It says how, and so does the README of the bundle.\n' +
    '--purge-data then deletes what archiver wrote below writers/ID/ and fleet/ID/ of this fleet, older versions included. It counts first, ' +
    'needs --yes, and cannot be taken back. Objects of others there are left alone.',
  args: [arg.text('WRITER_ID', { describe: 'the writer, as it was named to `fleetagent init`' })],
  flags: {
    purgeData: flag.text({ placeholder: 'S3_URL', describe: 'delete the data of the writer in this fleet, too' }),
    ...yesFlag,
    region,
    profile,
    endpointUrl,
    caBundle,
    ...providerFlag(
      'what the server at --endpoint-url is, whose tools revoke the key; when not given, who is known by that address. ',
    ),
  },
  rules: [
    requires('provider', 'endpointUrl'),
    {
      kind: 'check',
      text: 'with --endpoint-url there is only data to delete: it needs --purge-data S3_URL',
      ok: ({ endpointUrl, purgeData }) => endpointUrl === undefined || purgeData !== undefined,
    },
    {
      kind: 'check',
      text: '--purge-data deletes every version that the writer stored, for good: it needs --yes',
      ok: ({ purgeData, yes }) => purgeData === undefined || yes,
    },
  ],
  examples: [
    'archiver fleetagent scuttle nas-01 --profile admin',
    'archiver fleetagent scuttle nas-01 --purge-data s3://acme-archive/lab --yes',
    'archiver fleetagent scuttle nas-01 --endpoint-url https://s3.lab.example --provider ceph --purge-data s3://lab --yes',
  ],
  isRecorded: true,
  exits: {
    0: 'deleted, or there was nothing; with --endpoint-url the key of the writer is still there',
    1: 'the identity is not ours, or IAM or the store failed; no data was deleted unless it says so',
    3: 'some of the data could not be deleted, or older versions could not be seen',
  },
  async run(values, [writerId], context) {
    const { runScuttle } = await import('./run-scuttle.js');
    return runScuttle(values, writerId, context);
  },
});
