// Removes the identity of a writer: keys first, so that nothing is written from then on. Every step may have been done before, by this or
// an interrupted run. Policies of others are detached but kept.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { type Entity, type Iam, identityOf, isMintedFor } from './iam.js';

export interface ScuttledIdentity {
  readonly userName: string;
  readonly isUserDeleted: boolean;
  readonly isPolicyDeleted: boolean;
  readonly deletedKeys: readonly string[];
  /** ARNs of detached policies that are not ours. */
  readonly detachedPolicies: readonly string[];
}

/**
 * Removes the identity. @throws conflict for a user or policy that `init --mint` did not make, and for a policy that others use;
 * access-denied, store
 */
export async function scuttleIdentity(iam: Iam, writerId: string, signal: AbortSignal): Promise<ScuttledIdentity> {
  const names = identityOf(writerId);
  const user = refuseForeign(await iam.findUser(names.user), `user ${names.user}`, writerId);
  const policy = refuseForeign(await iam.findPolicy(names.policy), `policy ${names.policy}`, writerId);
  const deletedKeys: string[] = [];
  const detachedPolicies: string[] = [];
  if (user !== undefined) {
    for (const keyId of await iam.keysOf(names.user)) {
      signal.throwIfAborted();
      await iam.deleteKey(names.user, keyId);
      deletedKeys.push(keyId);
    }
    for (const arn of await iam.attachedPolicies(names.user)) {
      signal.throwIfAborted();
      await iam.detach(names.user, arn);
      if (arn !== policy?.arn) detachedPolicies.push(arn);
    }
    signal.throwIfAborted();
    await deleteUser(iam, names.user);
  }
  signal.throwIfAborted();
  if (policy !== undefined) await deleteOwn(iam, policy, names.policy);
  return {
    userName: names.user,
    isUserDeleted: user !== undefined,
    isPolicyDeleted: policy !== undefined,
    deletedKeys,
    detachedPolicies,
  };
}

function refuseForeign(entity: Entity | undefined, what: string, writerId: string): Entity | undefined {
  if (entity === undefined || isMintedFor(entity, writerId)) return entity;
  throw new ArchiverError(
    'conflict',
    `the IAM ${what} was not made by \`fleetagent init --mint\`; nothing was deleted`,
    {
      hint: `delete it with the tools that made it: ${entity.arn}`,
    },
  );
}

/** Deletes a user, first removing additions by other people when IAM reports that there are some. */
async function deleteUser(iam: Iam, user: string): Promise<void> {
  try {
    await iam.deleteUser(user);
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    await iam.strip(user);
    await iam.deleteUser(user);
  }
}

async function deleteOwn(iam: Iam, { arn }: Entity, name: string): Promise<void> {
  try {
    await iam.deletePolicy(arn);
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    throw new ArchiverError('conflict', `the policy ${name} is attached to somebody else and was kept`, {
      hint: `see whom: aws iam list-entities-for-policy --policy-arn ${arn}; then run this again`,
      cause: error,
    });
  }
}
