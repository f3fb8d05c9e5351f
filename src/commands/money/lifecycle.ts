import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import { dashed, type FlagRule, idle, overriddenKeys, conflictsAcrossLayers, requires } from '../../cli/rule.js';
import { STORE_KEY } from '../../cli/store-setting.js';
import { flags } from './lifecycle/flags.js';

const ACTIONS = ['template', 'export', 'import', 'remove'] as const;
/** Flags that only matter when a bucket is accessed. */
const REACHING = ['profile', 'endpointUrl', 'caBundle', 'yes'] as const;
const STORE = [STORE_KEY, 'bucket'] as const;

/** Makes the rule for a flag that, when typed, means only a store that is typed as well, not a configured one. */
const withoutConfigured = <const K extends string>(key: K): FlagRule<K> => ({
  kind: 'flags',
  text: `${dashed(key)} looks at no store that is not named with it`,
  keys: [key],
  check: () => undefined,
  overruled: (input) => (input.given(key) ? overriddenKeys([key, ...STORE], input).filter((one) => one !== key) : []),
});

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
  args: [arg.url('S3_URL', { describe: 'the bucket whose rules they are, or a prefix in it', optional: true })],
  flags,
  rules: [
    withoutConfigured('listTemplates'),
    withoutConfigured('estimateSize'),
    conflictsAcrossLayers('listTemplates', ['estimateSize', ...ACTIONS]),
    {
      kind: 'check',
      text: 'S3_URL (or --bucket), --list-templates or --estimate-size is needed; --export, --import and --remove need S3_URL',
      ok: ({ listTemplates, estimateSize, export: to, import: from, remove }, [url]) =>
        url !== undefined ||
        (to === undefined && from === undefined && !remove && (listTemplates || estimateSize !== undefined)),
    },
    {
      kind: 'check',
      text: '--list-templates looks at no store: leave out S3_URL',
      ok: ({ listTemplates }, [url]) => !listTemplates || url === undefined,
    },
    conflictsAcrossLayers('template', ['export', 'import', 'remove']),
    conflictsAcrossLayers('export', ['import', 'remove', 'dryRun']),
    conflictsAcrossLayers('import', ['remove']),
    requires('estimateSize', 'template'),
    idle(
      'region',
      ['listTemplates'],
      '--region can do nothing for --list-templates',
      ({ listTemplates }) => listTemplates === true,
    ),
    ...REACHING.map((key) =>
      idle(key, [], `${dashed(key)} needs S3_URL or --bucket`, (values) =>
        STORE.every((one) => values[one] === undefined),
      ),
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
    'archiver lifecycle s3://acme-archive/lab --template archive-optimization --dry-run',
    'archiver lifecycle --bucket acme-archive --export rules.json',
    'archiver lifecycle --bucket acme-archive --remove --yes',
  ],
  exits: {
    0: 'shown or changed, or there was nothing to change',
    1: 'nothing was changed: refused, changed by somebody else meanwhile, or the store failed',
    3: 'written, but the bucket shows other rules: the store keeps others than it was sent, or somebody else has changed them since',
  },
  async run(values, [url], context) {
    const { runLifecycle } = await import('./lifecycle/run-lifecycle.js');
    return runLifecycle(values, url, context);
  },
});
