// The other stores of an upload, as its flags say them.
import type { Context } from '../../../cli/context.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { writerIdOf } from '../../kit/dataset-target.js';
import type { SavedUpload } from '../../../core/archive/resume/saved-upload.js';
import { COLD } from '../confirm-cold.js';
import type { ArchiveCall } from '../attempt.js';
import { otherStores, type OtherStore, type SharedValues } from './other-store.js';
import type { AlsoCall } from './with-others.js';

export interface AlsoValues extends SharedValues {
  /** Not in what an older archiver has saved of an interrupted upload. */
  readonly also?: readonly string[];
  readonly writerId: string;
}

/** Where an upload goes, and what holds there. */
export interface Goal<V> {
  readonly values: V;
  /** The place above `uploads/`, without the writer. */
  readonly destination: string;
  readonly context: Context<'upload'>;
  /** The interrupted upload that it continues. */
  readonly opened?: SavedUpload | undefined;
}

/** Returns the stores of --also. @throws usage for what cannot be used */
export function alsoStores<V extends AlsoValues>({ values, context }: Goal<V>): readonly OtherStore[] {
  const stores = otherStores(values.also ?? [], writerIdOf(values.writerId), values, context);
  const open = stores.find(({ isFolder }) => isFolder);
  if (open !== undefined && values.kmsKeyId !== undefined)
    throw usageError(
      `a folder cannot encrypt with KMS, and --also names ${printable(open.name)}`,
      'leave out --also; `archiver copy --allow-unencrypted` copies versions there all the same',
    );
  return stores;
}

/** The class of chunks that takes longest to be read: that of the store of the upload, or of another. */
export const coldestOf = (
  { storageClass }: Pick<SharedValues, 'storageClass'>,
  stores: readonly OtherStore[],
): string =>
  [storageClass, ...stores.map(({ values }) => values.storageClass)].find((one) => COLD.has(one)) ?? storageClass;

/** Returns the call for the other stores; undefined for none. `prepare` prepares the same upload elsewhere, if its source can be read again. */
export function alsoCall<V extends AlsoValues>(
  goal: Goal<V>,
  stores: readonly OtherStore[],
  prepare?: (goal: Goal<V>) => Promise<ArchiveCall>,
): AlsoCall | undefined {
  const { values } = goal;
  if (stores.length === 0) return undefined;
  if (prepare === undefined) return { stores, values };
  return {
    stores,
    values,
    instead: async ({ values: own, base, context }) =>
      // What was to be asked was asked for the first one.
      await prepare({ values: { ...values, ...own, also: [], yes: true }, destination: base, context }),
  };
}
