// Tests what a key may do with scratch objects in the folder of an upload that is never completed: in the key's own place, and in that of a
// writer that does not exist. Whatever the store allows there harms nobody: only keys with new names are touched.
import { type Answer, answerOf, isAnswered } from '../answer.js';
import { probeKey } from '../../store/create-once/probe-key.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type {
  DeleteFailure,
  StorageTraits,
  ObjectDeleter,
  ObjectStore,
  ObjectVersionId,
} from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { StoreError } from '../../store/store-error.js';

export interface KeyTrial {
  readonly store: ObjectStore;
  /** Deletes the scratch objects. */
  readonly deleter: ObjectDeleter;
  /** Prefix that the key is meant to write below, with a trailing slash. */
  readonly own: string;
  /** The same prefix of a writer that does not exist; undefined when other writers are not tested. */
  readonly other: string | undefined;
  /** Whether the store is known to keep versions, from elsewhere; null when not known. */
  readonly keepsVersions: boolean | null;
  /** Source of random bytes for names that are not used yet. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** Results in another writer's place. */
export interface OtherSeen {
  readonly list: Answer<true>;
  readonly put: Answer<StorageTraits>;
  /** `missing`: the store says that there is no such object. */
  readonly read: Answer<'read' | 'missing'>;
  readonly remove: Answer<true>;
}

/** A scratch object that could not be removed, and why. */
export interface LeftObject {
  readonly key: string;
  readonly reason: string;
}

export interface KeySeen {
  readonly put: Answer<StorageTraits>;
  /** Whether a listing shows the object. */
  readonly list: Answer<boolean>;
  /** Whether the object is read back as it was put. */
  readonly read: Answer<boolean>;
  /** Result of a PUT with If-None-Match over the object. */
  readonly again: Answer<'kept' | 'replaced'>;
  /** Result of a PUT over the object without a condition. */
  readonly overwrite: Answer<StorageTraits>;
  readonly remove: Answer<true>;
  /**
   * Whether the store keeps versions of the object: `kept` when a listing shows them; `perhaps` when they may not be listed but answers
   * name them, which Garage does without keeping any.
   */
  readonly versions: 'kept' | 'perhaps' | 'none';
  /** Result of deleting one version permanently; undefined when none are kept. */
  readonly removeVersion: Answer<true> | undefined;
  readonly other: OtherSeen | undefined;
  readonly left: readonly LeftObject[];
}

const BODY = Buffer.from('archiver tries what this key may do\n');
const NEWER = Buffer.from('archiver tries whether this key may overwrite\n');
const CLEAN_UP_MS = 5000;

/** Runs the tests. @throws cancelled, wrong credentials, an unreachable store */
export async function tryKey(trial: KeyTrial): Promise<KeySeen> {
  const { own, other, randomBytes, signal } = trial;
  const key = probeKey(own, randomBytes);
  const foreign = other === undefined ? undefined : probeKey(other, randomBytes);
  const tester = new KeyTester(trial, signal);
  let isDone = false;
  try {
    const seen = await tester.testOwn(key);
    const otherSeen = foreign === undefined ? undefined : await tester.testOther(foreign, other ?? '');
    const left = [
      ...(isAnswered(seen.put) ? await tester.leftovers(key, seen.remove) : []),
      ...(foreign === undefined || otherSeen === undefined ? [] : await otherLeftovers(tester, foreign, otherSeen)),
    ];
    isDone = true;
    return { ...seen, other: otherSeen, left };
  } finally {
    const late = AbortSignal.timeout(CLEAN_UP_MS);
    const keys = foreign === undefined ? [key] : [key, foreign];
    if (!isDone) await trial.deleter.delete(keys, late).catch((error: unknown) => errorText(error));
  }
}

/** Another writer's place has an object only if it was put, apart from a delete marker. */
async function otherLeftovers(
  tester: KeyTester,
  key: string,
  { put, remove }: OtherSeen,
): Promise<readonly LeftObject[]> {
  return isAnswered(put) || isAnswered(remove) ? await tester.leftovers(key, remove) : [];
}

class KeyTester {
  private namesVersions = false;

  constructor(
    private readonly trial: Pick<KeyTrial, 'store' | 'deleter' | 'keepsVersions'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Tests the key's own place. */
  async testOwn(key: string): Promise<Omit<KeySeen, 'other' | 'left'>> {
    const put = await answerOf('s3:PutObject', () => this.putNew(key));
    if (!isAnswered(put))
      return {
        put,
        list: put,
        read: put,
        again: put,
        overwrite: put,
        remove: put,
        versions: 'none',
        removeVersion: undefined,
      };
    const again = await answerOf('s3:PutObject', () => this.putAgain(key));
    const content = isAnswered(again) && again.value === 'replaced' ? NEWER : BODY;
    const list = await answerOf('s3:ListBucket', () => this.isListed(key));
    const read = await answerOf('s3:GetObject', () => this.isRead(key, content));
    const overwrite = await answerOf('s3:PutObject', () => this.put(key, NEWER));
    const found = await this.versionsOf(key);
    const isReplaced = isAnswered(overwrite) || (isAnswered(again) && again.value === 'replaced');
    const versions = this.versionsIn(found, isReplaced);
    const removeVersion = versions === 'none' ? undefined : await this.removeVersion(key, found);
    const remove = await answerOf('s3:DeleteObject', () => this.remove(key));
    return { put, list, read, again, overwrite, remove, versions, removeVersion };
  }

  private versionsIn(found: Answer<readonly ObjectVersionId[]>, isReplaced: boolean): KeySeen['versions'] {
    if (!this.namesVersions) return 'none';
    if (isAnswered(found)) return found.value.length > (isReplaced ? 1 : 0) ? 'kept' : 'none';
    if (found.unanswered.isLacking === true) return 'none';
    return this.trial.keepsVersions === true ? 'kept' : 'perhaps';
  }

  /** Tests another writer's place; `key` is below `folder`. */
  async testOther(key: string, folder: string): Promise<OtherSeen> {
    const list = await answerOf('s3:ListBucket', async (): Promise<true> => {
      await this.isListed(key, folder);
      return true;
    });
    const put = await answerOf('s3:PutObject', () => this.putNew(key));
    const read = await answerOf('s3:GetObject', async () => {
      try {
        await this.isRead(key, BODY);
        return 'read';
      } catch (error) {
        if (isArchiverError(error, 'not-found')) return 'missing';
        throw error;
      }
    });
    return { list, put, read, remove: await answerOf('s3:DeleteObject', () => this.remove(key)) };
  }

  /** Returns what remains of the objects at a key after deleting. */
  async leftovers(key: string, removed: Answer<true>): Promise<readonly LeftObject[]> {
    if (!isAnswered(removed)) return [{ key, reason: removed.unanswered.why }];
    if (!this.namesVersions) return [];
    const found = await this.versionsOf(key);
    if (!isAnswered(found) && found.unanswered.isLacking === true) return [];
    const swept = isAnswered(found) ? await this.sweep(found.value) : found;
    return isAnswered(swept)
      ? []
      : [{ key, reason: `its versions, where the store keeps any: ${swept.unanswered.why}` }];
  }

  private async put(key: string, body: Buffer, ifAbsent = false): Promise<StorageTraits> {
    const { store } = this.trial;
    const done = await store.put(key, body, { ifAbsent, signal: this.signal });
    this.namesVersions ||= done.keepsVersions === true && this.trial.keepsVersions !== false;
    return done;
  }

  /** Puts a new object with If-None-Match, which a policy may require; without it when the store does not support it. */
  private async putNew(key: string): Promise<StorageTraits> {
    try {
      return await this.put(key, BODY, true);
    } catch (error) {
      if (!isArchiverError(error, 'unsupported')) throw error;
      return await this.put(key, BODY);
    }
  }

  private async putAgain(key: string): Promise<'kept' | 'replaced'> {
    try {
      await this.put(key, NEWER, true);
      return 'replaced';
    } catch (error) {
      if (isArchiverError(error, 'conflict')) return 'kept';
      throw error;
    }
  }

  private async isListed(key: string, prefix = key): Promise<boolean> {
    for await (const { objects } of this.trial.store.list({ prefix, signal: this.signal }))
      if (objects.some((found) => found.key === key)) return true;
    return false;
  }

  private async isRead(key: string, content: Buffer): Promise<boolean> {
    const read = await readAll(await this.trial.store.get(key, { signal: this.signal }), NEWER.byteLength);
    return read.equals(content);
  }

  private async remove(key: string): Promise<true> {
    return this.check(await this.trial.deleter.delete([key], this.signal));
  }

  /** Deletes the oldest visible version; deleting may be allowed even when listing is not. */
  private async removeVersion(key: string, found: Answer<readonly ObjectVersionId[]>): Promise<Answer<true>> {
    return await this.sweep([(isAnswered(found) ? found.value.at(-1) : undefined) ?? { key, versionId: 'null' }]);
  }

  private async sweep(versions: readonly ObjectVersionId[]): Promise<Answer<true>> {
    const { deleter } = this.trial;
    return await answerOf('s3:DeleteObjectVersion', async () =>
      this.check(await deleter.deleteVersions(versions, this.signal)),
    );
  }

  private async versionsOf(key: string): Promise<Answer<readonly ObjectVersionId[]>> {
    return await answerOf('s3:ListBucketVersions', async () => {
      const found: ObjectVersionId[] = [];
      for await (const { versions } of this.trial.store.listVersions({ prefix: key, signal: this.signal }))
        found.push(...versions.filter((one) => one.key === key).map(({ versionId }) => ({ key, versionId })));
      return found;
    });
  }

  private check([failed]: readonly DeleteFailure[]): true {
    if (failed === undefined) return true;
    const isRefused = failed.isRefused === true;
    throw new StoreError(isRefused ? 'access-denied' : 'store', failed.reason, { isRefused });
  }
}
