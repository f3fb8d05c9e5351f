// The contents of the version that an upload has just committed.
import type { Context } from '../../cli/context.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import { cacheFolder } from '../../core/dataset/cache/cache-folder.js';
import { rememberedIn } from '../../core/archive/run/remembered.js';
import { openView, type View } from '../../core/dataset/chain/view.js';
import type { EventSink } from '../../core/events/events.js';
import type { OpenedStore } from '../../core/store/open-store.js';

export type OpenStore = (onEvent: EventSink) => Promise<OpenedStore>;

/** Opens the store for `work` on the view, and closes it. @throws what `openView` and `work` throw */
export async function withCommittedView<T>(
  open: OpenStore,
  { uploadId, datasetId }: UploadResult,
  { home, signal }: Pick<Context, 'home' | 'signal'>,
  work: (view: View) => Promise<T>,
): Promise<T> {
  const opened = await open(() => undefined);
  try {
    // The manifest that this computer has just written is in the cache. It need not be fetched, and a writer may not be allowed to. What keeps
    // the cache from being used, the upload has said already.
    const { cache, heads } = rememberedIn(cacheFolder(home), opened, () => undefined);
    const head = await heads.get(opened.store.url, datasetId);
    const known = head?.uploadId === uploadId ? { sha256: head.manifestSha256 } : {};
    return await work(await openView(opened.store, { uploadId, signal, ...known, cache }));
  } finally {
    opened.close();
  }
}
