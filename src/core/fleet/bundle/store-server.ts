// The policy features of a store's server, which decide what a bundle may promise there. Tested on MinIO of 2026-02, Ceph's gateway 16.2
// and Garage 2.5, each with a plain PUT of a writer's key over a stored object.
import { type ArchiverError, usageError } from '../../platform/failures/errors.js';
import { knownAddress } from '../../store/providers/address.js';
import { PROVIDERS } from '../../store/providers/provider.js';
import type { ProviderFacts } from '../../store/providers/provider-facts.js';
import { factsOf } from '../../store/providers/provider-table.js';

/** Providers of the store, or `other` for the least that servers support. */
export const FLEET_PROVIDERS = [...PROVIDERS, 'other'] as const;
export type FleetProvider = (typeof FLEET_PROVIDERS)[number];

export interface StoreServer {
  readonly kind: 'aws' | 'minio' | 'ceph' | 'other';
  /** Why a bundle has no policy against overwriting. */
  readonly noSuchPolicy: string;
  /** True when a policy may contain actions about ACLs. */
  readonly hasAclActions: boolean;
  /** True when a bucket policy can refuse a PUT without If-None-Match, so that no writer replaces stored objects. */
  readonly refusesOverwriting: boolean;
  /** Whether the bucket may be versioned: `breaks` when If-None-Match then has no effect, in which case writers make no versions. */
  readonly versioning: 'holds' | 'breaks' | 'unknown';
  /** True when it supports a lifecycle rule that aborts unfinished uploads. */
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
/**
 * Accepts the bucket policy like any other, but never applies it. In versioned buckets a PUT replaces objects in spite of If-None-Match.
 */
const CEPH: StoreServer = {
  kind: 'ceph',
  noSuchPolicy: "Ceph's gateway takes policies with the condition s3:if-none-match and does not apply them",
  hasAclActions: true,
  refusesOverwriting: false,
  versioning: 'breaks',
  endsUploadsByRule: true,
};
/** The least that servers support. */
const OTHER: StoreServer = {
  kind: 'other',
  noSuchPolicy:
    'no policy against it is known for this server; one that knows s3:if-none-match takes the bundle of --provider aws',
  hasAclActions: false,
  refusesOverwriting: false,
  versioning: 'unknown',
  endsUploadsByRule: false,
};

/** By the `policies` value of a provider. */
const SERVERS = { aws: AWS, minio: MINIO, ceph: CEPH, untried: OTHER } as const;

/** Returns the server for a provider; undefined where its users have no policies. */
export function serverOf(provider: FleetProvider): StoreServer | undefined {
  const { policies } = factsOf(provider === 'other' ? 'custom' : provider);
  return typeof policies === 'object' ? undefined : SERVERS[policies];
}

/** Guesses the provider when it was not given. The address tells nothing about programs that anybody may run. */
const providerAt = (endpointUrl: string | undefined): FleetProvider =>
  endpointUrl === undefined ? 'aws' : (knownAddress(endpointUrl)?.provider ?? 'other');

/** Returns the server that policies are written for. @throws usage for one without policies, and where a KMS key cannot be named in them */
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

/** Returns the kind of server whose tools a writer is taken down with: `other` where users have no policies. */
export const serverKind = (given: FleetProvider | undefined, endpointUrl: string): StoreServer['kind'] =>
  serverOf(given ?? providerAt(endpointUrl))?.kind ?? 'other';

/** Explains that there are no policies: the rest of a bundle works with a key that is limited by hand. */
function withoutPolicies(provider: FleetProvider, { name, anchor }: ProviderFacts, reason: string): ArchiverError {
  // A key of Garage can be limited to a bucket, and to nothing within one.
  const limit =
    provider === 'garage' ? 'give each writer a bucket and a key of its own' : 'limit the key of the writer there';
  const hint = `${limit} (docs/providers.md#${anchor}); --provider other writes the rest of the bundle`;
  return usageError(`no policies can be written for ${name}: ${reason}`, hint);
}
