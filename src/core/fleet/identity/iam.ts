// What minting and scuttling need of IAM, and how the identity of a writer is named and marked. Implemented by iam-client.ts alone.
import { usageError } from '../../platform/failures/errors.js';

/** The path of IAM that writers are made under, so that one policy is about all of them and about nobody else. */
export const IDENTITY_PATH = '/archiver/';

/** Tags of an entity by key. */
export type Tags = Readonly<Record<string, string>>;

export interface Entity {
  readonly arn: string;
  readonly tags: Tags;
}

/** One request each, or as many as there are pages. They are not interrupted: between two of them is the place for that. */
export interface Iam {
  /** @throws conflict when the name is taken */
  createPolicy(name: string, policy: string, tags: Tags): Promise<Entity>;
  /** Of this name below our path; undefined when there is none. */
  findPolicy(name: string): Promise<Entity | undefined>;
  /** Makes this text the default version, and keeps no other one. */
  replacePolicy(arn: string, policy: string): Promise<void>;
  /** With all of its versions. One that does not exist is no failure. @throws conflict while it is attached */
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
  /** Everything else that keeps a user from being deleted: inline policies, groups, passwords, certificates, MFA … */
  strip(user: string): Promise<void>;
  /** One that does not exist is no failure. @throws conflict while there is anything on it */
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

/** Of user names, which is the shorter limit. */
const MAX_NAME = 64;
const PREFIX = 'archiver-';
export const WRITER_TAG = 'archiver-writer';
export const FLEET_TAG = 'archiver-fleet';

/** How user and policy of a writer are called. @throws usage for an id that IAM has no room for */
export function identityOf(writerId: string): Identity {
  const user = `${PREFIX}${writerId}`;
  if (user.length <= MAX_NAME) return { user, policy: `${user}-write`, writerId };
  throw usageError(
    `the IAM user of writer ${writerId} would have a name of ${user.length} characters, and IAM takes ${MAX_NAME}`,
    `choose an id of at most ${MAX_NAME - PREFIX.length} characters`,
  );
}

/** Made by --mint for this writer; of this fleet, where one is named. */
export const isOurs = ({ arn, tags }: Entity, writerId: string, fleetUrl?: string): boolean =>
  arn.includes(IDENTITY_PATH) &&
  tags[WRITER_TAG] === writerId &&
  (fleetUrl === undefined || tags[FLEET_TAG] === fleetUrl);
