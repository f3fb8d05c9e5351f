// Generates all files of a bundle, as texts by name.
import { abortRule } from '../../money/lifecycle/template-rules.js';
import { identityOf } from '../identity/iam.js';
import { createOnlyPolicy } from './bucket-policy.js';
import { type AgentCall, composeFile } from './compose-file.js';
import { configSkeleton } from './config-skeleton.js';
import { partitionOf } from './fleet-place.js';
import { policyLines } from './policy-document.js';
import { readmeText } from './readme.js';
import { OPERATOR_POLICY } from './readme-promises.js';
import { serviceUnit, timerUnit, unitName } from './systemd-units.js';
import { operatorPolicy, writerPolicy } from './writer-policy.js';

export const PUBLIC_KEY = 'config-signing-public.pem';
export const CREDENTIALS = 'credentials';

export interface BundleOptions extends AgentCall {
  readonly kmsKeyArn: string | undefined;
  /** Public key of the operator, in PEM. */
  readonly publicKey: string;
  readonly image: { readonly name: string; readonly isLocal: boolean };
  readonly isMinted: boolean;
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
  const { place, writerId, region, server, image, isMinted } = options;
  const files = { publicKey: PUBLIC_KEY, credentials: CREDENTIALS };
  const { user, policy } = identityOf(writerId);
  const rules = { Rules: [abortRule(place.base.slice(0, -1))] };
  const readme = { user, policy, isMinted, image: image.name, isLocalImage: image.isLocal, publicKey: PUBLIC_KEY };
  const ofBucket: readonly (readonly [string, string])[] = [
    ...(server.refusesOverwriting
      ? [['bucket-policy.json', policyLines(createOnlyPolicy(place, partitionOf(region, server)))] as const]
      : []),
    ...(server.kind === 'ceph' ? [[OPERATOR_POLICY, policyLines(operatorPolicy(place))] as const] : []),
    ...(server.endsUploadsByRule ? [['lifecycle.json', `${JSON.stringify(rules, undefined, 2)}\n`] as const] : []),
  ];
  return new Map([
    ['README.md', readmeText(options, readme)],
    ['iam-policy.json', policyLines(bundlePolicy(options))],
    ...ofBucket,
    ['config.yaml', configSkeleton(place, options)],
    [PUBLIC_KEY, options.publicKey],
    ['compose.yaml', composeFile(options, files, image)],
    [`${unitName(writerId)}.service`, serviceUnit(options, files)],
    [`${unitName(writerId)}.timer`, timerUnit(writerId)],
    // Bundles are often kept in repositories.
    ['.gitignore', `${CREDENTIALS}\n`],
  ]);
}
