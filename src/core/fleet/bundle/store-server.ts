// What the server of a store understands of policies, and so what a bundle may promise there. Put to MinIO of 2026-02, to Ceph's gateway
// 16.2 and to Garage 2.5, each with a plain PUT of a writer's key over an object that is stored.
import { type ArchiverError, usageError } from '../../platform/failures/errors.js';
import { knownAddress } from '../../store/providers/address.js';
import { PROVIDERS } from '../../store/providers/provider.js';
import type { ProviderFacts } from '../../store/providers/provider-facts.js';
import { factsOf } from '../../store/providers/provider-table.js';

/** Who runs the store, or `other` for the least that servers understand. */
export const FLEET_PROVIDERS = [...PROVIDERS, 'other'] as const;
export type FleetProvider = (typeof FLEET_PROVIDERS)[number];

export interface StoreServer {
  readonly kind: 'aws' | 'minio' | 'ceph' | 'other';
  /** Why a bundle has no policy against overwriting. */
  readonly noSuchPolicy: string;
  /** Actions about ACLs may stand in a policy. */
  readonly hasAclActions: boolean;
  /** A policy of the bucket refuses a PUT without If-None-Match, so that no writer replaces what is stored. */
  readonly refusesOverwriting: boolean;
  /** Whether the bucket may have versions: `breaks` where If-None-Match is not kept then, without which writers make none of theirs. */
  readonly versioning: 'holds' | 'breaks' | 'unknown';
  /** It takes a lifecycle rule that ends unfinished uploads. */
  readonly endsUploadsByRule: boolean;
}

const AWS: StoreServer = {
  kind: 'aws',
  noSuchPolicy: '',
  hasAclActions: true,
  refusesOverwriting: true,
  versioning: 'holds',
  endsUploadsByRule: true,
};
const MINIO: StoreServer = {
  kind: 'minio',
  noSuchPolicy: 'MinIO refuses policies with the condition s3:if-none-match',
  hasAclActions: false,
  refusesOverwriting: false,
  versioning: 'holds',
  endsUploadsByRule: false,
};
/** It takes the policy of the bucket as it takes any, and never applies it. With versions of the bucket a PUT replaces in spite of If-None-Match. */
const CEPH: StoreServer = {
  kind: 'ceph',
  noSuchPolicy: "Ceph's gateway takes policies with the condition s3:if-none-match and does not apply them",
  hasAclActions: true,
  refusesOverwriting: false,
  versioning: 'breaks',
  endsUploadsByRule: true,
};
/** The least that is understood. */
const OTHER: StoreServer = {
  kind: 'other',
  noSuchPolicy:
    'no policy against it is known for this server; one that knows s3:if-none-match takes the bundle of --provider aws',
  hasAclActions: false,
  refusesOverwriting: false,
  versioning: 'unknown',
  endsUploadsByRule: false,
};

/** By what is known of a provider's policies. */
const SERVERS = { aws: AWS, minio: MINIO, ceph: CEPH, untried: OTHER } as const;

/** What a server understands of policies; undefined where users have none there. */
export function serverOf(provider: FleetProvider): StoreServer | undefined {
  const { policies } = factsOf(provider === 'other' ? 'custom' : provider);
  return typeof policies === 'object' ? undefined : SERVERS[policies];
}

/** Who runs the store where nobody has said so. Of a program that anybody may run an address tells nothing. */
const providerAt = (endpointUrl: string | undefined): FleetProvider =>
  endpointUrl === undefined ? 'aws' : (knownAddress(endpointUrl)?.provider ?? 'other');

/** The server that policies are written for. @throws usage for one that has none, and where a KMS key cannot stand in them */
export function storeServer(
  given: FleetProvider | undefined,
  { endpointUrl, kmsKeyArn }: { readonly endpointUrl?: string | undefined; readonly kmsKeyArn: string | undefined },
): StoreServer {
  const provider = given ?? providerAt(endpointUrl);
  const facts = factsOf(provider === 'other' ? 'custom' : provider);
  const { policies } = facts;
  if (typeof policies === 'object') throw withoutPolicies(provider, facts, policies.none);
  const server = SERVERS[policies];
  if (kmsKeyArn !== undefined && server.kind !== 'aws') {
    throw usageError(
      `--kms-key-arn is about keys of AWS, and policies of --provider ${provider} cannot name one`,
      'leave it out, and let the server encrypt the bucket by itself',
    );
  }
  return server;
}

/** On Garage writers find nothing to stand on; elsewhere the rest of a bundle is of use with a key that is limited by hand. */
function withoutPolicies(provider: FleetProvider, { name, anchor }: ProviderFacts, reason: string): ArchiverError {
  const hint =
    provider === 'garage'
      ? 'keep the fleet on AWS, MinIO or Ceph'
      : `limit the key of the writer there (docs/providers.md#${anchor}); --provider other writes the rest of the bundle`;
  return usageError(`no policies can be written for ${name}: ${reason}`, hint);
}
