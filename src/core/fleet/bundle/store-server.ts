// What the server of a store understands of policies, and so what a bundle may promise there. Put to MinIO of 2026-02, to Ceph's gateway
// 16.2 and to Garage 2.5, each with a plain PUT of a writer's key over an object that is stored.
import { PROVIDERS } from '../../cost/providers.js';
import { usageError } from '../../failures/errors.js';

/** Who runs the store: the names that have prices, and others whose policies are known. */
export const FLEET_PROVIDERS = [...PROVIDERS, 'ceph', 'garage', 'other'] as const;
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

const SERVERS: Readonly<Record<Exclude<FleetProvider, 'garage'>, StoreServer>> = {
  aws: AWS,
  minio: MINIO,
  ceph: CEPH,
  wasabi: OTHER,
  b2: OTHER,
  custom: OTHER,
  other: OTHER,
};

const OF_AWS = /\.amazonaws\.com(?:\.cn)?$/;

/** Who runs the store where nobody has said so. An address alone does not tell which program answers there. */
const providerAt = (endpointUrl: string | undefined): FleetProvider =>
  endpointUrl === undefined || OF_AWS.test(new URL(endpointUrl).hostname) ? 'aws' : 'other';

/** The server that policies are written for. @throws usage for one that has none, and where a KMS key cannot stand in them */
export function storeServer(
  given: FleetProvider | undefined,
  { endpointUrl, kmsKeyArn }: { readonly endpointUrl?: string | undefined; readonly kmsKeyArn: string | undefined },
): StoreServer {
  const provider = given ?? providerAt(endpointUrl);
  if (provider === 'garage') {
    throw usageError(
      'Garage has no policies, and it replaces objects in spite of If-None-Match: a key that may write to a bucket may replace all of it, ' +
        'and writers refuse to make versions there',
      'keep the fleet on AWS, MinIO or Ceph',
    );
  }
  const server = SERVERS[provider];
  if (kmsKeyArn !== undefined && server.kind !== 'aws') {
    throw usageError(
      `--kms-key-arn is about keys of AWS, and policies of --provider ${provider} cannot name one`,
      'leave it out, and let the server encrypt the bucket by itself',
    );
  }
  return server;
}
