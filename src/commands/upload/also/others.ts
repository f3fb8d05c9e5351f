// The other stores of an upload while it runs: they are looked at before anything is sent, get what is sent as well, and what fails there is
// noted and waits for the copy that follows the commit.
import type { Context } from '../../../cli/context.js';
import { refuseUnlockable } from '../../../core/archive/run/upload-lock.js';
import { rememberedIn } from '../../../core/archive/run/remembered.js';
import type { AlsoObject, AlsoPlanned, AlsoStores } from '../../../core/archive/run/also-stores.js';
import { AlsoPut } from '../../../core/archive/transfer/also-put.js';
import { cacheFolder } from '../../../core/dataset/cache/cache-folder.js';
import { highestVersion } from '../../../core/dataset/records/version-record.js';
import { listVersions } from '../../../core/dataset/records/versions.js';
import type { EventSink } from '../../../core/events/events.js';
import { placeOf } from '../../../core/format/encryption/place.js';
import { ArchiverError, errorText, isArchiverError, usageError } from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { writableStore } from '../../../core/store/create-once/create-once.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { uploadGate } from '../../kit/slots.js';
import { bringOver } from './bring-over.js';
import { type OtherStore, refuseOverlap, type SharedValues } from './other-store.js';

/** Failures that say that the call cannot be meant so; with any other the upload goes on without that store. */
const refuses = (error: unknown): boolean => isArchiverError(error, 'usage', 'cancelled', 'budget-exceeded');

/** One of them. */
export interface Other {
  readonly store: OtherStore;
  opened: OpenedStore | undefined;
  /** As it may be written to. */
  writing: OpenedStore | undefined;
  put: AlsoPut | undefined;
  /** True once budgets were asked for what this upload puts there. */
  isAsked: boolean;
  /** Why it gets nothing while the upload runs. */
  trouble: unknown;
}

export interface FailedStore extends Pick<OpenedStore, 'servers'> {
  readonly url: string;
}

export interface OthersInput {
  readonly stores: readonly OtherStore[];
  /** The store of the upload, once it is open. */
  readonly main: () => OpenedStore | undefined;
  readonly values: SharedValues;
  /** The store in whose place this one is, if it has failed. */
  readonly failed: FailedStore | undefined;
  readonly context: Context<'upload'>;
  readonly emit: EventSink;
}

type Dataset = Parameters<AlsoStores['settled']>[0];

export class Others implements AlsoStores {
  readonly all: readonly Other[];

  constructor(private readonly input: OthersInput) {
    this.all = input.stores.map((store) => ({
      store,
      opened: undefined,
      writing: undefined,
      put: undefined,
      isAsked: false,
      trouble: undefined,
    }));
  }

  settled = async (dataset: Dataset): Promise<boolean> => {
    const main = this.input.main();
    if (main === undefined) return false;
    if (!dataset.isListed)
      throw usageError(
        `--also reads ${printable(main.store.url)}, and these credentials may not list it`,
        'leave it out; `archiver copy` brings the versions over with others',
      );
    let isChanged = false;
    for (const other of this.all) {
      try {
        await this.opened(other, main);
        isChanged = (await this.compare(other, main, dataset)) || isChanged;
      } catch (error) {
        if (refuses(error)) throw error;
        this.stop(other, error);
      }
    }
    return isChanged;
  };

  mayBegin = async ({ uploadId, datasetId, store, encryption, amountsIn }: AlsoPlanned): Promise<void> => {
    const { kmsKeyId, encryptManifest } = encryption;
    if (kmsKeyId === undefined) await this.refuseInTheClear(datasetId, store.url);
    for (const other of this.all) {
      const { url, values, context, isFolder } = other.store;
      const isSamePlace = placeOf(url, uploadId) === placeOf(store.url, uploadId);
      if (encryptManifest && !isSamePlace)
        throw usageError(
          `the manifest is encrypted, and opens at ${placeOf(store.url, uploadId)} only, which ${printable(url)} is not`,
          'name a place for --also that ends alike, or leave it out',
        );
      if (kmsKeyId !== undefined && values.kmsKeyId === undefined) throw unencrypted(kmsKeyId, other.store);
      const { opened, writing } = other;
      if (opened === undefined || writing === undefined) continue;
      if (!other.isAsked)
        await uploadGate({ ...values }, context)(() => undefined)(amountsIn(opened, values.storageClass));
      other.isAsked = true;
      if (other.trouble !== undefined) continue;
      other.put ??= new AlsoPut({
        store: writing.store,
        storageClass: values.storageClass === 'STANDARD' ? undefined : values.storageClass,
        kmsKeyId: kmsKeyId === undefined ? undefined : values.kmsKeyId,
        locks: !isFolder,
        onStopped: (error) => this.stop(other, error),
      });
    }
  };

  put = async (object: AlsoObject): Promise<void> => {
    await Promise.all(this.all.map(async (other) => await other.put?.put(object)));
  };

  /** Opens a store, once. @throws usage where it is one with another store of the run; what opening it throws */
  async opened(
    other: Other,
    main: OpenedStore,
  ): Promise<{ readonly opened: OpenedStore; readonly writing: OpenedStore }> {
    const { store } = other;
    const { context } = this.input;
    other.opened ??= await store.open(this.input.emit);
    const { opened } = other;
    refuseOverlap([main, ...this.all.flatMap((one) => one.opened ?? [])]);
    if (store.values.objectLock !== undefined)
      await refuseUnlockable(opened, context.signal).catch((error: unknown) => {
        throw isArchiverError(error, 'unsupported') ? usageError(error.message, error.hint) : error;
      });
    const { dryRun } = store.values;
    other.writing ??= await writableStore(opened, store.context, { dryRun });
    return { opened, writing: other.writing };
  }

  close(): void {
    for (const { opened } of this.all) opened?.close();
  }

  /** Compares the dataset here and there, and brings what only the other store has. Returns true where there was something. */
  private async compare(
    { opened, store }: Other,
    main: OpenedStore,
    { datasetId, highest }: Dataset,
  ): Promise<boolean> {
    if (opened === undefined) return false;
    const { context } = this.input;
    const { signal, home } = context;
    const there = await highestVersion(opened.store, datasetId, { signal });
    const place = printable(store.name);
    if (there === undefined) throw new ArchiverError('access-denied', `${place} may not be listed`);
    const { heads } = rememberedIn(cacheFolder(home), opened, (text) => context.warn(text));
    const known =
      there.version === 0 && !store.values.newStore ? await heads.get(opened.store.url, datasetId) : undefined;
    if (known !== undefined)
      throw new ArchiverError(
        'forgotten-store',
        `this computer knows version ${known.version} of dataset ${datasetId} there, and there is none: not mounted, emptied or another bucket?`,
      );
    if (there.version <= highest) return false;
    const id = printable(datasetId);
    if (highest === 0)
      throw usageError(
        `${place} has versions of dataset ${id}, and ${printable(main.store.url)} has none`,
        `archiver copy ${place} ${printable(main.store.url)} --dataset ${id} brings them over first; or leave out --also`,
      );
    return await this.bringBack({ opened, store }, main, { datasetId, highest });
  }

  private async bringBack(
    { opened, store }: { readonly opened: OpenedStore; readonly store: OtherStore },
    main: OpenedStore,
    { datasetId, highest }: Pick<Dataset, 'datasetId' | 'highest'>,
  ): Promise<boolean> {
    const { context, values, emit } = this.input;
    const newer = (await listVersions(opened.store, datasetId, context.signal)).filter(
      ({ version }) => version > highest,
    );
    const versions = newer.map(({ version }) => `v${version}`);
    if (versions.length === 0) return false;
    const what = `${versions.join(', ')} of ${printable(datasetId)}`;
    try {
      const to = await writableStore(main, context);
      const { result } = await bringOver({ from: opened, to, values, what: { datasetId, versions } }, context, emit);
      const [failure] = result?.failures ?? [];
      if (failure !== undefined) throw failure.error;
      emit({ type: 'note', text: `${printable(main.store.url)} lacked ${what}: copied from ${printable(store.name)}` });
      return true;
    } catch (error) {
      if (isArchiverError(error, 'cancelled')) throw error;
      context.warn(
        `${printable(store.name)} has ${what}, which could not be copied to ${printable(main.store.url)}: ${errorText(error)}`,
      );
      return true; // some may have been
    }
  }

  /** Refuses to make in the clear what is encrypted in the store that has failed, as far as this computer remembers. @throws usage */
  private async refuseInTheClear(datasetId: string, url: string): Promise<void> {
    const { failed, context } = this.input;
    if (failed === undefined) return;
    const { heads } = rememberedIn(cacheFolder(context.home), failed, (text) => context.warn(text));
    if ((await heads.get(failed.url, datasetId))?.encryption === undefined) return;
    const what = `dataset ${printable(datasetId)} is encrypted in ${printable(failed.url)}, and would not be in ${printable(url)}`;
    throw usageError(what, 'say the key: --kms-key-id');
  }

  private stop(other: Other, error: unknown): void {
    if (other.trouble !== undefined) return;
    other.trouble = error;
    other.put = undefined;
    const text = `${printable(other.store.name)} gets nothing while this runs: ${errorText(error)}; it is tried again in the end`;
    this.input.emit({ type: 'note', text });
  }
}

const unencrypted = (kmsKeyId: string, { name, isFolder }: OtherStore): ArchiverError =>
  usageError(
    `chunks are encrypted with ${printable(kmsKeyId)}, and in ${printable(name)} no key would encrypt them`,
    isFolder
      ? 'leave out --also; archiver copy --allow-unencrypted copies them all the same'
      : 'say the key: --kms-key-id',
  );
