import pkg from '../../../../package.json' with { type: 'json' };
import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import { flag } from '../../../cli/flag.js';
import { conflicts, exactlyOne, idle } from '../../../cli/rule.js';
import { accessFlags } from '../../kit/flags.js';
import { lockFlags, lockRules } from '../../kit/lock-flags.js';
import { providerFlag } from './provider-flag.js';

export const command = defineCommand({
  path: 'fleetagent init',
  summary: 'make everything that a new writer of a fleet needs',
  description:
    'Writes a folder with the policy of an identity that can only put and list its own objects, and for AWS one that keeps the bucket from ' +
    'letting writers overwrite anything; no other server is known that keeps such a policy, and the README says what is kept there (--provider). ' +
    'Also a lifecycle rule for failed uploads where the server takes one, a configuration to fill in, a compose file, a systemd unit, ' +
    'settings of the machine, the public key, and a README with the five steps from there. Nothing is sent anywhere, except with --mint: ' +
    'that makes the IAM user archiver-ID, its policy and an access key, and writes the key into the folder. When a step fails, what was made ' +
    'is removed again. A user of this name that --mint made for the same writer and fleet gets another key; any other one is left ' +
    'alone and refused. The credentials need iam:CreatePolicy, CreatePolicyVersion, DeletePolicy, DeletePolicyVersion, GetPolicy, ListPolicies, ' +
    'ListPolicyVersions, TagPolicy, CreateUser, DeleteUser, GetUser, TagUser, AttachUserPolicy, DetachUserPolicy, ' +
    'ListAttachedUserPolicies, CreateAccessKey, DeleteAccessKey and ListAccessKeys.',
  args: [arg.url('S3_URL', { describe: 'base of the fleet: the bucket, and the prefix above writers/' })],
  flags: {
    writerId: flag.text({ placeholder: 'ID', describe: 'id of the writer, at most 55 characters' }),
    replaces: flag.text({
      placeholder: 'ID',
      describe:
        'a new machine for this writer, whose datasets it goes on with: the README says what to do with the old one, and --mint deletes its access keys',
    }),
    publicKey: flag.file({
      placeholder: 'FILE',
      required: true,
      describe: 'public keys (ed25519, PEM, the newest last) that configurations are verified with; they are copied',
    }),
    kmsKeyArn: flag.text({
      placeholder: 'ARN',
      describe: 'encrypt with this KMS key; the writer cannot decrypt with it',
    }),
    mint: flag.on({ describe: 'create the IAM user, its policy and an access key now' }),
    profile: accessFlags.profile,
    caBundle: accessFlags.caBundle,
    out: flag.folder({ placeholder: 'FOLDER', describe: 'folder to make; ./ID when not given' }),
    image: flag.text({
      placeholder: 'IMAGE',
      describe: `container image; archiver:${pkg.version}, to be built from the Containerfile, when not given`,
    }),
    region: flag.text({
      short: 'r',
      placeholder: 'NAME',
      default: 'us-west-2',
      describe: 'region of the bucket; when not given, the one that --endpoint-url names',
    }),
    endpointUrl: flag.text({
      placeholder: 'URL',
      describe: 'address of an S3-compatible server that the writer is to use instead of AWS',
    }),
    ...providerFlag(
      'what the server is, for policies that it understands; aws without --endpoint-url, else who is known by that address, else other. ',
    ),
    ...lockFlags,
  },
  rules: [
    exactlyOne('writerId', 'replaces'),
    conflicts('endpointUrl', ['mint']),
    // Those of the config file are meant for commands that use a store.
    idle('profile', ['mint'], '--profile needs --mint', ({ mint }) => mint !== true),
    idle('caBundle', ['mint'], '--ca-bundle needs --mint', ({ mint }) => mint !== true),
    {
      kind: 'check',
      text: 'a --provider that is not aws needs --endpoint-url: the writer would go to AWS',
      ok: ({ provider, endpointUrl }) => provider === undefined || provider === 'aws' || endpointUrl !== undefined,
    },
    ...lockRules,
  ],
  examples: [
    'archiver fleetagent init s3://acme-archive/lab --writer-id nas-01 --public-key config-signing-public.pem',
    'archiver fleetagent init s3://acme-archive/lab --writer-id nas-01 --public-key config-signing-public.pem --mint --profile admin',
    'archiver fleetagent init s3://acme-archive/lab --replaces nas-01 --public-key config-signing-public.pem --mint --profile admin',
    'archiver fleetagent init s3://lab --writer-id nas-01 --public-key config-signing-public.pem --endpoint-url https://minio.example.org --provider minio',
  ],
  exits: {
    0: 'the folder is complete',
    1: 'nothing is left of it: the folder exists, the key cannot be read, or IAM refused',
  },
  async run(values, [url], context) {
    const { runInit } = await import('./run-init.js');
    return runInit(values, url, context);
  },
});
