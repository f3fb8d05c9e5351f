// What a key may do, seen of scratch objects in the folder of an upload that never is: in the place of its own, and in that of a writer
// that there is not. Whatever a store lets it do there harms nobody: only keys are touched that nobody else has named.
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
  /** Of what it has put. */
  readonly deleter: ObjectDeleter;
  /** Where the key is to write, with a slash at its end. */
  readonly own: string;
  /** The same of a writer that there is not; undefined: other writers are not asked about. */
  readonly other: string | undefined;
  /** What is known of versions there beside the tries; null where that is nothing. */
  readonly keepsVersions: boolean | null;
  /** Names what nobody has put yet. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** What was done in the place of another writer. */
export interface OtherSeen {
  readonly list: Answer<true>;
  readonly put: Answer<StorageTraits>;
  /** `missing`: the store says that there is no such object. */
  readonly read: Answer<'read' | 'missing'>;
  readonly remove: Answer<true>;
}

/** An object that stays, and why. */
export interface LeftObject {
  readonly key: string;
  readonly reason: string;
}

export interface KeySeen {
  readonly put: Answer<StorageTraits>;
  /** Whether a listing shows it. */
  readonly list: Answer<boolean>;
  /** Whether it is read as it was put. */
  readonly read: Answer<boolean>;
  /** What became of a PUT with If-None-Match over it. */
  readonly again: Answer<'kept' | 'replaced'>;
  /** A PUT over it without a condition. */
  readonly overwrite: Answer<StorageTraits>;
  readonly remove: Answer<true>;
  /**
   * Whether the store keeps versions of it: a listing shows them. `perhaps`: answers name them, which Garage does and keeps none, and
   * they may not be listed.
   */
  readonly versions: 'kept' | 'perhaps' | 'none';
  /** Deleting one version of it for good; undefined where none are kept. */
  readonly removeVersion: Answer<true> | undefined;
  readonly other: OtherSeen | undefined;
  readonly left: readonly LeftObject[];
}

const BODY = Buffer.from('archiver tries what this key may do\n');
const NEWER = Buffer.from('archiver tries whether this key may overwrite\n');
const CLEAN_UP_MS = 5000;

/** Tries. @throws cancelled, wrong credentials, a store that is not reached */
export async function tryKey(trial: KeyTrial): Promise<KeySeen> {
  const { own, other, randomBytes, signal } = trial;
  const key = probeKey(own, randomBytes);
  const foreign = other === undefined ? undefined : probeKey(other, randomBytes);
  const tries = new Tries(trial, signal);
  let isDone = false;
  try {
    const seen = await tries.ofOwn(key);
    const ofOther = foreign === undefined ? undefined : await tries.ofOther(foreign, other ?? '');
    const left = [
      ...(isAnswered(seen.put) ? await tries.leftOf(key, seen.remove) : []),
      ...(foreign === undefined || ofOther === undefined ? [] : await leftOfOther(tries, foreign, ofOther)),
    ];
    isDone = true;
    return { ...seen, other: ofOther, left };
  } finally {
    const late = AbortSignal.timeout(CLEAN_UP_MS);
    const keys = foreign === undefined ? [key] : [key, foreign];
    if (!isDone) await trial.deleter.delete(keys, late).catch((error: unknown) => errorText(error));
  }
}

/** Nothing is there unless it was put, but for the marker of what was deleted. */
async function leftOfOther(tries: Tries, key: string, { put, remove }: OtherSeen): Promise<readonly LeftObject[]> {
  return isAnswered(put) || isAnswered(remove) ? await tries.leftOf(key, remove) : [];
}

class Tries {
  private namesVersions = false;

  constructor(
    private readonly trial: Pick<KeyTrial, 'store' | 'deleter' | 'keepsVersions'>,
    private readonly signal: AbortSignal,
  ) {}

  /** In the place of its own. */
  async ofOwn(key: string): Promise<Omit<KeySeen, 'other' | 'left'>> {
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

  /** In the place of another writer: `key` is below `folder`. */
  async ofOther(key: string, folder: string): Promise<OtherSeen> {
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

  /** Of what was put at a key, or deleted there, what stays. */
  async leftOf(key: string, removed: Answer<true>): Promise<readonly LeftObject[]> {
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

  /** A policy may want If-None-Match, and a store may not know it. */
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

  /** The oldest one that it sees; a listing may be refused and the deletion not. */
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
