// Reports to a meter what is used of a store, as it is billed. It sits below the retry decorator, so that every attempt counts. A failed
// request has the rate of STANDARD: the class of an object is known only from the answer. Fetched bytes count as requested, even if the
// reader ends early.
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

/** An object as far as it is known when it is deleted or thawed. */
export interface MeteredObject extends Pick<ObjectInfo, 'key' | 'sizeBytes' | 'storageClass'> {
  readonly lastModified?: Date;
}

/** The rates of requests. */
export type RequestRate = 'put' | 'get' | 'list' | 'head' | 'copy' | 'kms';

export interface StoreMeter {
  requested(rate: RequestRate, storageClass: string): void;
  fetched(storageClass: string, bytes: number): void;
  /** Objects that an answer has shown. */
  seen(objects: readonly MeteredObject[]): void;
  wrote(object: MeteredObject): void;
  copied(fromKey: string, toKey: string, storageClass: string): void;
  /** `isForGood`: they are not kept as older versions. */
  removed(keys: readonly string[], isForGood: boolean): void;
  /** Called when an answer shows that the bucket keeps versions. */
  keepsVersions(): void;
  thawed(key: string, options: Pick<ThawOptions, 'days' | 'tier'>): void;
}

/** A place whose use is metered. */
export interface MeteredPlace {
  readonly url: string;
  readonly isAws: boolean;
  /** Provider of the store, if its address tells. */
  readonly runBy?: Provider | undefined;
  readonly isFolder: boolean;
  readonly region: string | undefined;
}

async function* tapped<T>(pages: AsyncIterable<T>, onPage: (page: T) => void): AsyncGenerator<T> {
  for await (const page of pages) {
    onPage(page);
    yield page;
  }
}

/** Name of an object for the meter: key and version id, or the key alone where there is only one version. */
const nameOf = ({ key, versionId }: Pick<ObjectVersionId, 'key'> & Partial<ObjectVersionId>): string =>
  versionId === undefined || versionId === 'null' ? key : `${key}\0${versionId}`;

/** Wraps a store so that `meter` is told of everything that goes through it. */
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
    list: (...call) => tapped(pagesCounted(store.list(...call), onList), ({ objects }) => meter.seen(objects)),
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
      tapped(pagesCounted(store.listVersions(...call), onList), ({ versions }) =>
        meter.seen(versions.map((version) => ({ storageClass: STANDARD, ...version, key: nameOf(version) }))),
      ),
    deleteVersions: (versions, signal) => removed(versions.map(nameOf), store.deleteVersions(versions, signal), true),
    async copy(from, to, options) {
      const storageClass = options?.storageClass ?? STANDARD;
      await write('copy', storageClass, store.copy(from, to, options));
      // KMS is asked twice: to read the original, and to write the copy.
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

/** Wraps a key service so that `meter` is told each time that KMS is asked. */
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
