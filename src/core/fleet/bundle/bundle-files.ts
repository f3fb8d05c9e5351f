// Generates all files of a bundle, as texts by name.
import { identityOf } from '../identity/iam.js';
import { lifecycleRules } from './lifecycle-rules.js';
import { createOnlyPolicy } from './bucket-policy.js';
import { type AgentCall, composeFile } from './compose-file.js';
import { configSkeleton } from './config-skeleton.js';
import { partitionOf } from './fleet-place.js';
import { policyLines } from './policy-document.js';
import { readmeText } from './readme.js';
import { OPERATOR_POLICY } from './readme-promises.js';
import { lockUnits } from './lock-units.js';
import { machineSettings } from './machine-settings.js';
import { serviceUnit, unitName } from './systemd-units.js';
import { operatorPolicy, writerPolicy } from './writer-policy.js';

export const PUBLIC_KEY = 'config-signing-public.pem';
export const CREDENTIALS = 'credentials';
/** The config file of the machine, for hooks and pings. */
export const SETTINGS = 'archiver.yaml';

export interface BundleOptions extends AgentCall {
  readonly kmsKeyArn: string | undefined;
  /** Public key of the operator, in PEM. */
  readonly publicKey: string;
  readonly image: { readonly name: string; readonly isLocal: boolean };
  readonly isMinted: boolean;
  /** True for another machine of a writer that is there. */
  readonly isReplaced: boolean;
}

/** Returns the policy of the bundle's identity. */
export const bundlePolicy = ({ place, writerId, region, server, kmsKeyArn, lock }: BundleOptions) =>
  writerPolicy(place, {
    writerId,
    kmsKeyArn,
    server,
    partition: partitionOf(region, server),
    writeOnly: true,
    locks: lock !== undefined,
  });

/** Returns all files but the credentials. @throws usage for a writer id too long for IAM */
export function bundleFiles(options: BundleOptions): ReadonlyMap<string, string> {
  const { place, writerId, region, server, image, isMinted, isReplaced } = options;
  const files = { publicKey: PUBLIC_KEY, credentials: CREDENTIALS, settings: SETTINGS };
  const { user, policy } = identityOf(writerId);
  const rules = { Rules: lifecycleRules(options) };
  const readme = {
    user,
    policy,
    isMinted,
    isReplaced,
    image: image.name,
    isLocalImage: image.isLocal,
    publicKey: PUBLIC_KEY,
    settings: SETTINGS,
  };
  const ofBucket: readonly (readonly [string, string])[] = [
    ...(server.refusesOverwriting
      ? [['bucket-policy.json', policyLines(createOnlyPolicy(place, partitionOf(region, server)))] as const]
      : []),
    ...(server.kind === 'ceph' ? [[OPERATOR_POLICY, policyLines(operatorPolicy(place))] as const] : []),
    ...(rules.Rules.length > 0 ? [['lifecycle.json', `${JSON.stringify(rules, undefined, 2)}\n`] as const] : []),
  ];
  return new Map([
    ['README.md', readmeText(options, readme)],
    ['iam-policy.json', policyLines(bundlePolicy(options))],
    ...ofBucket,
    ['config.yaml', configSkeleton(place, options)],
    [PUBLIC_KEY, options.publicKey],
    ['compose.yaml', composeFile(options, files, image)],
    [`${unitName(writerId)}.service`, serviceUnit(options, files)],
    [SETTINGS, machineSettings(unitName(writerId))],
    ...lockUnits(options),
    // Bundles are often kept in repositories.
    ['.gitignore', `${CREDENTIALS}\n`],
  ]);
}
