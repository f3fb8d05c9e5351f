// Creates the IAM identity of a writer: policy, user, and a key that is shown once. When a later step fails, including that of keeping the
// key, everything that the run has made is removed again. Existing entities are taken over when their tags name this writer of this fleet,
// and refused otherwise, because they may be somebody else's.
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import { type AccessKey, type Entity, FLEET_TAG, type Iam, identityOf, isMintedFor, WRITER_TAG } from './iam.js';

export interface MintOptions {
  readonly writerId: string;
  readonly fleetUrl: string;
  /** The policy as JSON text. */
  readonly policy: string;
  /** Keeps the key; the identity is removed when it throws. */
  readonly keep: (key: AccessKey) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Minted {
  readonly userName: string;
  readonly userArn: string;
  readonly policyArn: string;
  readonly accessKeyId: string;
  /** True when the user or the policy existed before. */
  readonly isAdopted: boolean;
  /** Earlier keys of the user that still work. */
  readonly olderKeys: readonly string[];
  /** Earlier keys that were deleted. */
  readonly deletedKeys: readonly string[];
}

/** Steps that undo what was made, in the order it was made. */
type Undo = { readonly what: string; readonly run: () => Promise<void> }[];

/** Creates the identity. @throws usage, conflict for an entity of somebody else, access-denied, store */
export async function mint(iam: Iam, options: MintOptions): Promise<Minted> {
  const undo: Undo = [];
  try {
    return await make(iam, options, undo);
  } catch (error) {
    throw await undoAll(error, undo, options.writerId);
  }
}

async function make(iam: Iam, { writerId, fleetUrl, policy, keep, signal }: MintOptions, undo: Undo): Promise<Minted> {
  const names = identityOf(writerId);
  const tags = { [WRITER_TAG]: writerId, [FLEET_TAG]: fleetUrl };
  const checkOwned = (entity: Entity | undefined, what: string): Entity => {
    if (entity !== undefined && isMintedFor(entity, writerId, fleetUrl)) return entity;
    const fleet = entity?.tags[FLEET_TAG];
    const whose = fleet === undefined ? 'was not made by archiver' : `belongs to the writer of this name in ${fleet}`;
    throw new ArchiverError('conflict', `the IAM ${what} is there already and ${whose}`, {
      hint: 'choose another --writer-id, or use that identity without --mint',
    });
  };

  signal.throwIfAborted();
  const newPolicy = await unlessTaken(iam.createPolicy(names.policy, policy, tags));
  const ownPolicy = newPolicy ?? checkOwned(await iam.findPolicy(names.policy), `policy ${names.policy}`);
  if (newPolicy) undo.push({ what: `policy ${names.policy}`, run: () => iam.deletePolicy(newPolicy.arn) });

  signal.throwIfAborted();
  const newUser = await unlessTaken(iam.createUser(names.user, tags));
  const user = newUser ?? checkOwned(await iam.findUser(names.user), `user ${names.user}`);
  if (newUser) undo.push({ what: `user ${names.user}`, run: () => iam.deleteUser(names.user) });
  // Only after checking the user: somebody else's user must not get another fleet's policy through a policy that is ours.
  if (!newPolicy) await iam.replacePolicy(ownPolicy.arn, policy);

  signal.throwIfAborted();
  const wasAttached = (await iam.attachedPolicies(names.user)).includes(ownPolicy.arn);
  if (!wasAttached) {
    undo.push({ what: 'the attached policy', run: () => iam.detach(names.user, ownPolicy.arn) });
    await iam.attach(names.user, ownPolicy.arn);
  }

  signal.throwIfAborted();
  const olderKeys = await iam.keysOf(names.user);
  // Also covers a key whose answer was lost.
  undo.push({ what: 'the access key', run: () => deleteNewKeys(iam, names.user, olderKeys) });
  const key = await iam.createKey(names.user);
  signal.throwIfAborted();
  await keep(key);
  return {
    userName: names.user,
    userArn: user.arn,
    policyArn: ownPolicy.arn,
    accessKeyId: key.accessKeyId,
    isAdopted: !newPolicy || !newUser,
    olderKeys,
    deletedKeys: [],
  };
}

/** Deletes the earlier keys, once the new one is kept; those that cannot be deleted stay in `olderKeys`. Never throws. */
export async function withoutOlderKeys(iam: Iam, minted: Minted): Promise<Minted> {
  const deletedKeys: string[] = [];
  for (const keyId of minted.olderKeys) {
    const isDeleted = await iam.deleteKey(minted.userName, keyId).then(
      () => true,
      () => false, // it is named as one that still works
    );
    if (isDeleted) deletedKeys.push(keyId);
  }
  return { ...minted, deletedKeys, olderKeys: minted.olderKeys.filter((keyId) => !deletedKeys.includes(keyId)) };
}

async function deleteNewKeys(iam: Iam, user: string, older: readonly string[]): Promise<void> {
  for (const keyId of await iam.keysOf(user)) if (!older.includes(keyId)) await iam.deleteKey(user, keyId);
}

/** Returns undefined when the name is taken. */
async function unlessTaken(creating: Promise<Entity>): Promise<Entity | undefined> {
  try {
    return await creating;
  } catch (error) {
    if (isArchiverError(error, 'conflict')) return undefined;
    throw error;
  }
}

/** Undoes the steps; returns the error, with what could not be undone. */
async function undoAll(error: unknown, undo: Undo, writerId: string): Promise<unknown> {
  const left: string[] = [];
  for (const { what, run } of undo.toReversed()) {
    try {
      await run();
    } catch (failure) {
      left.push(`${what} (${errorText(failure)})`);
    }
  }
  if (left.length === 0) return error;
  const code = isArchiverError(error) ? error.code : 'store';
  return new ArchiverError(code, `${errorText(error)}; and this could not be undone: ${left.join(', ')}`, {
    hint: `remove what is left: archiver fleetagent scuttle ${writerId}`,
    cause: error,
  });
}
