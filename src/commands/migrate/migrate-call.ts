// What all migrations of a call have in common.
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import type { ArchiveSource } from '../../core/mend/migrate/archive-source.js';
import type { MigrateOptions } from '../../core/mend/migrate/migrate-options.js';
import type { EventSink } from '../../core/events/events.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { requireConfirmation } from '../kit/ask.js';
import { uploadGate } from '../kit/slots.js';
import { openForWriting, type StoreCall } from '../kit/store.js';
import { confirmCold } from '../upload/confirm-cold.js';
import { baseUrlOf, uploadMemoryLimit } from '../upload/engine-options.js';
import { lockOption, withoutClassOfFolder } from '../kit/place-options.js';
import type { MigrateValues } from './flags.js';

export interface MigrateCall {
  /** Where uploads go. */
  readonly url: string;
  readonly values: MigrateValues;
  readonly upload: Omit<MigrateOptions['upload'], 'uploadGate'>;
}

/** Reads flags and destination. @throws usage */
export function migrateCall(destination: string, asked: MigrateValues, context: Context<'migrate'>): MigrateCall {
  const url = baseUrlOf(destination);
  const values = withoutClassOfFolder(url, asked, context);
  const { compressionLevel, shardCount, storageClass, project } = values;
  return {
    url,
    values,
    upload: {
      now: context.now,
      packing: { compressionLevel, memoryLimitBytes: uploadMemoryLimit(context) },
      layout: { shardCount, storageClass, lock: lockOption(values, url) },
      labels: { project },
    },
  };
}

/** Asks before anything begins, so that nobody has to be there when it ends hours later. @throws usage when the answer is no */
export async function confirmMigration(
  what: string,
  { values }: MigrateCall,
  context: Context<'migrate'>,
): Promise<void> {
  await confirmCold({ ...values, autoTier: false, tierMax: undefined }, context);
  if (!values.deleteOriginal || values.yes) return;
  const question = `${what} will be deleted once the upload of everything in it is validated. Continue?`;
  await requireConfirmation(context, question, 'not migrated');
}

/** How the store that holds an archive is opened. */
export const sourceStore = (
  storeUrl: string,
  { values }: MigrateCall,
  context: Context<'migrate'>,
): Pick<StoreCall, 'baseUrl' | 'values' | 'context'> => ({
  baseUrl: storeUrl,
  values: { ...values, storeMode: undefined },
  context,
});

/** The options of one migration. */
export function migrateOptions(
  { key, url, owner }: ArchiveSource,
  { url: destination, values, upload }: MigrateCall,
  {
    opened,
    emit,
    context,
  }: { readonly opened: OpenedStore; readonly emit: EventSink; readonly context: Context<'migrate'> },
): MigrateOptions {
  return {
    archive: { opened, key, url, owner },
    tempParent: resolve(context.cwd, values.tempDir ?? tmpdir()),
    keepTemp: values.keepTemp,
    validate: !values.skipValidation,
    deleteOriginal: values.deleteOriginal,
    open: openForWriting(destination, values, context),
    upload: { ...upload, uploadGate: uploadGate(values, context)(emit) },
    emit,
    signal: context.signal,
  };
}
