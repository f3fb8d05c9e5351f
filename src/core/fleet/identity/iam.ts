// The IAM operations for minting and scuttling, and the names and tags of a writer's identity. Implemented only by iam-client.ts.
import { usageError } from '../../platform/failures/errors.js';

/** The IAM path of all writers, so that one policy covers all of them and nobody else. */
export const IDENTITY_PATH = '/archiver/';

/** Tags of an entity, by key. */
export type Tags = Readonly<Record<string, string>>;

export interface Entity {
  readonly arn: string;
  readonly tags: Tags;
}

/** Each method is one request, or several for pages. Requests are not interrupted; check for cancellation between two of them. */
export interface Iam {
  /** @throws conflict when the name is taken */
  createPolicy(name: string, policy: string, tags: Tags): Promise<Entity>;
  /** Finds the policy of this name below our path; undefined when there is none. */
  findPolicy(name: string): Promise<Entity | undefined>;
  /** Makes this text the default version and deletes all other versions. */
  replacePolicy(arn: string, policy: string): Promise<void>;
  /** Deletes a policy with all of its versions. A missing one is no failure. @throws conflict while it is attached */
  deletePolicy(arn: string): Promise<void>;
  /** @throws conflict when the name is taken */
  createUser(name: string, tags: Tags): Promise<Entity>;
  findUser(name: string): Promise<Entity | undefined>;
  attach(user: string, policyArn: string): Promise<void>;
  detach(user: string, policyArn: string): Promise<void>;
  attachedPolicies(user: string): Promise<readonly string[]>;
  createKey(user: string): Promise<AccessKey>;
  keysOf(user: string): Promise<readonly string[]>;
  deleteKey(user: string, keyId: string): Promise<void>;
  /** Removes everything else that keeps a user from being deleted: inline policies, groups, passwords, certificates, MFA … */
  strip(user: string): Promise<void>;
  /** Deletes a user. A missing one is no failure. @throws conflict while anything belongs to it */
  deleteUser(user: string): Promise<void>;
}

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface Identity {
  readonly user: string;
  readonly policy: string;
  readonly writerId: string;
}

/** Limit of user names, which is lower than that of policy names. */
const MAX_NAME = 64;
const PREFIX = 'archiver-';
export const WRITER_TAG = 'archiver-writer';
export const FLEET_TAG = 'archiver-fleet';

/** Returns the names of a writer's user and policy. @throws usage for an id too long for IAM */
export function identityOf(writerId: string): Identity {
  const user = `${PREFIX}${writerId}`;
  if (user.length <= MAX_NAME) return { user, policy: `${user}-write`, writerId };
  throw usageError(
    `the IAM user of writer ${writerId} would have a name of ${user.length} characters, and IAM takes ${MAX_NAME}`,
    `choose an id of at most ${MAX_NAME - PREFIX.length} characters`,
  );
}

/** True for an entity that --mint made for this writer, and for this fleet if one is given. */
export const isMintedFor = ({ arn, tags }: Entity, writerId: string, fleetUrl?: string): boolean =>
  arn.includes(IDENTITY_PATH) &&
  tags[WRITER_TAG] === writerId &&
  (fleetUrl === undefined || tags[FLEET_TAG] === fleetUrl);
