// Which folder of src may import which. A rule is broken by an import, of a type too, of what its `never` names: a folder of
// src ("stores/") or a package ("ink", "@aws-sdk/*"). `atRunTime` rules let `await import()` and types pass: there it is only
// about what is loaded when the program starts.

/** The features (src/features.ts), each with its folders, where it has them: a room of core, commands, screens and stores. */
export const FEATURES = [
  'money',
  'notify',
  'access',
  'fleet',
  'clusters',
  'projects',
  'diagnostics',
  'serve',
  'setup',
  'dashboard',
];
const FEATURE_FOLDERS = ['core', 'commands', 'screens', 'stores'].flatMap((layer) =>
  FEATURES.map((name) => `${layer}/${name}/`),
);

/** @type {readonly { from: RegExp, except?: RegExp, never: readonly string[], atRunTime?: boolean, why: string }[]} */
export const RULES = [
  {
    from: /^core\//,
    never: ['cli/', 'commands/', 'stores/', 'screens/', 'ui/', 'ink', 'ink-*', 'react', 'meow', 'zustand'],
    why: 'core imports nothing above it',
  },
  {
    from: /^engine\//,
    never: [
      'cli/',
      'commands/',
      'stores/',
      'screens/',
      'ui/',
      'ink',
      'ink-*',
      'react',
      'meow',
      'zustand',
      '@aws-sdk/*',
    ],
    why: 'the face of the engine imports core only',
  },
  {
    from: /^(?!engine\/)/,
    never: ['engine/'],
    why: 'the face of the engine is for other programs',
  },
  {
    from: /^stores\//,
    never: ['cli/', 'commands/', 'screens/', 'ui/', 'ink', 'ink-*', 'react', '@aws-sdk/*'],
    why: 'stores import core only',
  },
  {
    from: /^ui\//,
    never: ['cli/', 'commands/', 'screens/', 'stores/', 'core/', '@aws-sdk/*'],
    why: 'ui imports ink and react only',
  },
  {
    from: /^screens\//,
    never: ['cli/', 'commands/', '@aws-sdk/*'],
    why: 'screens import ui and stores',
  },
  {
    from: /^cli\//,
    never: ['screens/', 'ink', 'ink-*', 'react', '@aws-sdk/*'],
    atRunTime: true,
    why: 'the framework stays light: heavy imports happen inside run',
  },
  {
    from: /^(core|commands|cli)\//,
    except:
      /^core\/(store\/(s3\/|kms\/kms-client)|notify\/alerts\/channels\/cloudwatch|money\/(live-prices\/get-products|analyze\/inventory\/athena-client)|access\/(sts|s3control)-client|fleet\/identity\/iam-client)/,
    never: ['@aws-sdk/*'],
    why: 'only core/store/s3 and one file for each other service know the SDK: core/store/kms/kms-client.ts, core/notify/alerts/channels/cloudwatch.ts, core/money/live-prices/get-products.ts, core/money/analyze/inventory/athena-client.ts, core/access/{sts,s3control}-client.ts, core/fleet/identity/iam-client.ts',
  },
  {
    from: /./,
    except: /^core\/diagnostics\/observe\/(?:tracing|run-metrics)\.ts$/,
    never: ['@opentelemetry/*', 'prom-client'],
    why: 'only core/diagnostics/observe/tracing.ts knows OpenTelemetry, only core/diagnostics/observe/run-metrics.ts the client of Prometheus',
  },
  {
    from: /^/,
    except: /^core\/gpg-keys\//,
    never: ['openpgp'],
    why: 'only core/gpg-keys knows OpenPGP',
  },
  {
    from: /^/,
    except: /^core\/platform\/documents\//,
    never: ['zod', 'zod/*'],
    why: 'only core/platform/documents knows the library of schemas, whose words are ours',
  },
  {
    from: /./,
    except: /^core\/store\//,
    never: ['core/store/file/file-store', 'core/store/s3/s3-store'],
    why: 'openStore hands on what deletes by itself',
  },
  {
    from: /^core\/money\/forecast\//,
    never: ['core/money/ledger/', 'core/cost/', 'core/platform/state/', 'core/store/'],
    why: 'forecasts are of numbers and know none of the nouns',
  },
  {
    from: /^(core|engine|ui)\//,
    never: ['json/'],
    why: 'the documents of --json are made above',
  },
  {
    from: /^json\//,
    never: ['cli/', 'commands/', 'stores/', 'screens/', 'ui/'],
    why: 'the documents of --json know what they hold, and nobody who prints them',
  },
  {
    from: /^(?!json\/)/,
    never: ['json/'],
    atRunTime: true,
    why: 'the program imports the types of its documents; their schemas are loaded by `json-schema` when it prints one',
  },
  {
    from: /^core\/(platform|events|store|format|cost|dataset|restore|archive|mend)\//,
    never: ['core/shell/', 'core/config/', 'core/context/'],
    why: 'the engine knows nothing of what single commands need',
  },
  {
    from: /^cli\//,
    never: ['commands/', 'features'],
    why: 'the framework knows no command: features are handed to it',
  },
  {
    from: new RegExp(`^(?!feature(?:s|-commands)\\.ts$|(?:core|commands|screens|stores)/(?:${FEATURES.join('|')})/)`),
    never: FEATURE_FOLDERS,
    why: 'features stand around the engine, its commands and the framework, which ask them by src/cli/slots.ts',
  },
  {
    from: /^(?!features\.ts$)/,
    never: FEATURES.map((name) => `commands/${name}/feature`),
    why: 'a feature is named in one list, src/features.ts',
  },
  {
    from: /^(?!feature-commands\.ts$)/,
    never: FEATURES.map((name) => `commands/${name}/commands`),
    why: 'the commands of a feature are named in one list, src/feature-commands.ts',
  },
  {
    from: /^(?!commands\/(?:called|index)\.ts$)/,
    never: ['features'],
    why: 'the program is made of its features in one place, commands/index.ts, and for one call in commands/called.ts',
  },
  {
    from: /^(?!commands\/index\.ts$)/,
    never: ['feature-commands'],
    why: 'all commands are in one list, commands/index.ts',
  },
];

/**
 * Who may delete from a store (docs/protocol/rules.md#one-deleter): no other file names what deletes. A name that ends with a
 * slash is a folder.
 */
export const DELETERS = {
  names: /\b(?:ObjectDeleter|WholeStore|deleter)\b/,
  files: {
    'core/store/': 'makes and wraps stores',
    'core/dataset/prune/sweep.ts':
      'what old marks name and no version needs; then the marks, and copies of what it has fenced',
    'core/dataset/prune/raise-fences.ts': 'its own flag, or the manifest whose place a fence takes',
    'core/dataset/prune/notice.ts': 'notices of prunes',
    'core/dataset/prune/prune.ts': 'checks of versions that are gone, and the oldest ones; hands it to these',
    'core/dataset/set-tag.ts': 'tags',
    'core/archive/transfer/send-chunk.ts': 'what this process has put before any manifest was tried',
    'core/archive/with-run.ts': 'hands it to the sender of chunks',
    'core/mend/scuttle/wipe.ts': 'everything of ours',
    'core/dataset/unfinished.ts': 'temp files and multipart uploads that nobody wrote to for a day',
    'core/mend/migrate/migrate.ts': 'the archive that was migrated, where that was asked for',
    'core/store/create-once/probe.ts': 'what the question has put',
    'core/store/create-once/create-once.ts': 'hands it to the question',
    'core/access/capabilities/scratch.ts': 'what the question has put',
    'core/store/storage-classes/scratch-objects.ts': 'what the question has put',
    'core/store/storage-classes/supported-classes.ts': 'hands it to the question',
    'core/access/capabilities/ask-capabilities.ts': 'hands it to the question',
    'core/access/key-trial/try-key.ts': 'what the trial has put, or nobody has',
    'core/setup/check-store.ts': 'what the check has put',
    'core/dataset/prune/run-prune.ts': 'hands it to a prune',
    'commands/dataset/tag.ts': 'hands it to who tags',
    'commands/copy/copy-opened.ts': 'hands it to who tags',
    'commands/fleet/fleetagent/run-scuttle.ts': 'hands it to a wipe',
    'commands/access/capabilities.ts': 'hands it to questions',
    'commands/access/key-trial.ts': 'hands it to the trial of a key',
    'commands/scuttle.ts': 'hands it to a wipe',
  },
};
