// Brings versions of one store of an upload to another: the copy of `archiver copy`, without its display.
import type { Context } from '../../../cli/context.js';
import type { EventSink } from '../../../core/events/events.js';
import type { UploadId } from '../../../core/store/ids/upload-id.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { type CopyDone, copyOpened } from '../../copy/copy-opened.js';
import type { SharedValues } from './other-store.js';

/** The version that is an upload, or versions of a dataset. */
export type Brought =
  | { readonly uploadId: UploadId }
  | { readonly datasetId: string; readonly versions: readonly string[] };

export interface Bringing {
  readonly from: OpenedStore;
  /** As it may be written to. */
  readonly to: OpenedStore;
  /** Values of flags in the store that is copied to. */
  readonly values: SharedValues;
  readonly what: Brought;
  /** True for objects about which budgets were asked before. */
  readonly isAsked?: (key: string) => boolean;
}

const OBJECTS_AT_ONCE = 8;

/** Copies them, or plans it where the values say a dry run. @throws as `copyOpened` */
export async function bringOver(
  { from, to, values, what, isAsked }: Bringing,
  context: Context,
  emit: EventSink,
): Promise<CopyDone> {
  const chosen =
    'uploadId' in what
      ? { uploadId: what.uploadId, datasetId: undefined, versions: [] }
      : { uploadId: undefined, ...what };
  const copying = {
    ...values,
    datasetId: chosen.datasetId,
    version: chosen.versions,
    exclusive: false,
    deep: false,
    allowUnencrypted: false,
    workers: OBJECTS_AT_ONCE,
  } as const;
  const places = { from: from.store.url, uploadId: chosen.uploadId, to: to.store.url };
  const told: EventSink = (event) => {
    // Its phases and amounts are none of the upload's.
    if (event.type === 'note' || event.type === 'retry' || event.type === 'settled') emit(event);
  };
  return await copyOpened({ places, from, to }, copying, context, {
    emit: told,
    ...(isAsked === undefined ? {} : { isAsked }),
  });
}
