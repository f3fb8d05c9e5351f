import { defineCommand } from '../cli/command.js';
import { dashed, idle, neverBoth, requires, someOf } from '../cli/rule.js';
import { flags } from './lifecycle/flags.js';

const ACTIONS = ['template', 'export', 'import', 'remove'] as const;
/** What only a bucket is asked with. */
const REACHING = ['profile', 'endpointUrl', 'caBundle', 'yes'] as const;

export const command = defineCommand({
  path: 'lifecycle',
  summary: 'let S3 move stored chunks to cheaper classes',
  description:
    'A template makes one rule for the chunks of each upload that lies in the bucket (or below the prefix of a URL) now, and one that ' +
    'aborts multipart uploads left unfinished for 7 days. Manifests, version records, heartbeats and fleet configurations are in no ' +
    'rule: S3 can exclude nothing, and a manifest in an archive class would make its upload unreadable. So later uploads need ' +
    'another run, which also drops the rules of uploads whose chunks have all moved; content that is to be cold from the beginning ' +
    'is better uploaded with --storage-class. Files of --direct-upload stay where they are.\n' +
    'Rules of others are never changed. What changes is shown first. S3 replaces all rules of a bucket at once and has no condition for ' +
    'it: they are read again right before, and once more after. --import takes what --export or `aws s3api ' +
    'get-bucket-lifecycle-configuration` prints, and refuses rules that S3 would refuse or that would harm what is stored. Without ' +
    'an action the rules are shown.',
  flags,
  rules: [
    someOf('bucket', 'listTemplates', 'estimateSize'),
    neverBoth('listTemplates', ['bucket', 'estimateSize', ...ACTIONS]),
    neverBoth('template', ['export', 'import', 'remove']),
    neverBoth('export', ['import', 'remove', 'dryRun']),
    neverBoth('import', ['remove']),
    requires('estimateSize', 'template'),
    ...ACTIONS.filter((key) => key !== 'template').map((key) => requires(key, 'bucket')),
    idle(
      'region',
      ['listTemplates'],
      '--region can do nothing for --list-templates',
      ({ listTemplates }) => listTemplates === true,
    ),
    ...REACHING.map((key) =>
      idle(key, ['bucket'], `${dashed(key)} needs --bucket`, ({ bucket }) => bucket === undefined),
    ),
    idle(
      'dryRun',
      [...ACTIONS],
      '--dry-run needs --template, --import or --remove: nothing else changes anything',
      ({ template, import: file, remove }) => template === undefined && file === undefined && remove !== true,
    ),
  ],
  examples: [
    'archiver lifecycle --list-templates',
    'archiver lifecycle --template archive-optimization --estimate-size 5000',
    'archiver lifecycle --bucket s3://acme-archive/lab --template archive-optimization --dry-run',
    'archiver lifecycle --bucket acme-archive --export rules.json',
    'archiver lifecycle --bucket acme-archive --remove --yes',
  ],
  exits: {
    0: 'shown or changed, or there was nothing to change',
    1: 'nothing was changed: refused, changed by somebody else meanwhile, or the store failed',
    3: 'written, but the bucket shows other rules: the store keeps others than it was sent, or somebody else has changed them since',
  },
  async run(values, _args, context) {
    const { runLifecycle } = await import('./lifecycle/run-lifecycle.js');
    return runLifecycle(values, context);
  },
});
