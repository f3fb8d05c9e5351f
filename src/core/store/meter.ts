// Tells a meter what is used of a store, as it is billed. It sits below the retry decorator, so that every attempt counts.
// A request that failed has the rate of STANDARD: the class of an object is known from the answer. What is fetched counts
// as it was asked for, also where its reader ends early.
import type {
  DeleteFailure,
  StorageTraits,
  ObjectInfo,
  ObjectVersionId,
  ThawOptions,
  WholeStore,
} from './object-store.js';
import type { KeyService } from './key-service.js';
import type { Provider } from './providers/provider.js';
import { pagesCounted } from './request-count.js';

export const STANDARD = 'STANDARD';

/** What is known of an object when it is deleted or thawed. */
export interface MeteredObject extends Pick<ObjectInfo, 'key' | 'sizeBytes' | 'storageClass'> {
  readonly lastModified?: Date;
}

/** The rates of requests. */
export type RequestRate = 'put' | 'get' | 'list' | 'head' | 'copy' | 'kms';

export interface StoreMeter {
  requested(rate: RequestRate, storageClass: string): void;
  fetched(storageClass: string, bytes: number): void;
  /** Objects that an answer told of. */
  seen(objects: readonly MeteredObject[]): void;
  wrote(object: MeteredObject): void;
  copied(fromKey: string, toKey: string, storageClass: string): void;
  /** `isForGood`: nothing of them is kept as an older version. */
  removed(keys: readonly string[], isForGood: boolean): void;
  /** The bucket keeps versions. */
  keepsVersions(): void;
  thawed(key: string, options: Pick<ThawOptions, 'days' | 'tier'>): void;
}

/** A place whose use is metered. */
export interface MeteredPlace {
  readonly url: string;
  readonly isAws: boolean;
  /** Who runs it, where the address tells. */
  readonly runBy?: Provider | undefined;
  readonly isFolder: boolean;
  readonly region: string | undefined;
}

async function* eachTold<T>(pages: AsyncIterable<T>, onPage: (page: T) => void): AsyncGenerator<T> {
  for await (const page of pages) {
    onPage(page);
    yield page;
  }
}

/** An object by its version; the only one by its key. */
const nameOf = ({ key, versionId }: Pick<ObjectVersionId, 'key'> & Partial<ObjectVersionId>): string =>
  versionId === undefined || versionId === 'null' ? key : `${key}\0${versionId}`;

/** The store, telling `meter` what goes through it. */
export function meterStore(store: WholeStore, meter: StoreMeter): WholeStore {
  const onList = (): void => meter.requested('list', STANDARD);
  const removed = async (
    names: readonly string[],
    work: Promise<readonly DeleteFailure[]>,
    isForGood: boolean,
  ): Promise<readonly DeleteFailure[]> => {
    const failures = await work;
    const kept = new Set(failures.map(nameOf));
    meter.removed(
      names.filter((name) => !kept.has(name)),
      isForGood,
    );
    return failures;
  };
  const told = ({ keepsVersions }: StorageTraits): void => void (keepsVersions === true && meter.keepsVersions());
  const write = async <T>(rate: 'put' | 'copy', storageClass: string, work: Promise<T>): Promise<T> => {
    meter.requested(rate, storageClass);
    return await work;
  };
  return {
    url: store.url,
    async get(...call) {
      const content = await store.get(...call).catch((error: unknown) => {
        meter.requested('get', STANDARD);
        throw error;
      });
      const { storageClass = STANDARD, sizeBytes } = content;
      meter.requested('get', storageClass);
      if (content.usesKms === true) meter.requested('kms', STANDARD);
      told(content);
      meter.fetched(storageClass, sizeBytes);
      return content;
    },
    async head(...call) {
      let found: ObjectInfo | undefined;
      try {
        found = await store.head(...call);
      } finally {
        meter.requested('head', found?.storageClass ?? STANDARD);
      }
      if (found !== undefined) {
        told(found);
        meter.seen([found]);
      }
      return found;
    },
    time: (...call) => {
      onList();
      return store.time(...call);
    },
    list: (...call) => eachTold(pagesCounted(store.list(...call), onList), ({ objects }) => meter.seen(objects)),
    async put(key, body, options) {
      const storageClass = options?.storageClass ?? STANDARD;
      const result = await write('put', storageClass, store.put(key, body, options));
      if (result.usesKms === true) meter.requested('kms', STANDARD);
      told(result);
      meter.wrote({ key, sizeBytes: body.byteLength, storageClass });
      return result;
    },
    abortMultipart: (...call) => store.abortMultipart(...call),
    async *listMultipart(...call) {
      onList();
      yield* store.listMultipart(...call);
    },
    delete: (keys, signal) => removed(keys, store.delete(keys, signal), false),
    listVersions: (...call) =>
      eachTold(pagesCounted(store.listVersions(...call), onList), ({ versions }) =>
        meter.seen(versions.map((version) => ({ storageClass: STANDARD, ...version, key: nameOf(version) }))),
      ),
    deleteVersions: (versions, signal) => removed(versions.map(nameOf), store.deleteVersions(versions, signal), true),
    async copy(from, to, options) {
      const storageClass = options?.storageClass ?? STANDARD;
      await write('copy', storageClass, store.copy(from, to, options));
      // The copy is read with its key, and written with one.
      for (let asked = 0; options?.kmsKeyId !== undefined && asked < 2; asked++) meter.requested('kms', STANDARD);
      meter.copied(from, to, storageClass);
    },
    async thaw(key, options) {
      const answer = await store.thaw(key, options);
      if (answer === 'started') meter.thawed(key, options);
      return answer;
    },
  };
}

/** The keys, telling `meter` each time that KMS is asked. */
export const meterKeys = (keys: KeyService, meter: StoreMeter): KeyService => ({
  generate: async (...call) => {
    meter.requested('kms', STANDARD);
    return await keys.generate(...call);
  },
  decrypt: async (...call) => {
    meter.requested('kms', STANDARD);
    return await keys.decrypt(...call);
  },
});
