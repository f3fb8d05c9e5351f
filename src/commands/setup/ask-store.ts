// Asks a store that may be chosen what it keeps and can do, once it is known that these credentials can put objects there.
import { probeBeforeChoice } from '../../core/store/create-once/create-once.js';
import type { Capability } from '../../core/access/capabilities/capability.js';
import { errorText } from '../../core/platform/failures/errors.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import { throwIfCancelled } from '../../core/store/store-error.js';
import type { CheckOptions, Usability } from '../../core/setup/check-store.js';
import { probeBucketCapabilities, probeFolderCapabilities } from '../access/capabilities.js';
import { askCreateOnce } from '../access/create-once.js';
import type { StoreContext } from '../kit/store.js';

export interface AskedStore {
  readonly usability: Usability;
  readonly capabilities: readonly Capability[];
  /** True if the store does not keep If-None-Match. */
  readonly isPlain: boolean;
}

/** Asks the store; one that cannot even be asked is of no use. @throws cancelled */
export async function askStore(
  usability: Usability,
  open: CheckOptions['open'],
  tell: CheckOptions['tell'],
  context: StoreContext,
): Promise<AskedStore> {
  try {
    const opened = await open();
    try {
      if (parseStoreUrl(opened.store.url).kind === 'file')
        return { usability, capabilities: await probeFolderCapabilities(opened, context), isPlain: false };
      const createOnce = await askCreateOnce(opened, context, probeBeforeChoice);
      const isPlain = createOnce.kind === 'plain';
      const hint = 'versions get record keys of their own there, so that none overwrites another';
      tell(
        isPlain
          ? { tone: 'warn', text: `a key is not created only once: ${createOnce.seen}`, hint }
          : { tone: 'good', text: 'of two writers at one key one is refused' },
      );
      return {
        usability,
        capabilities: await probeBucketCapabilities(opened, { value: createOnce }, context),
        isPlain,
      };
    } finally {
      opened.close();
    }
  } catch (error) {
    throwIfCancelled(context.signal);
    tell({ tone: 'bad', text: errorText(error) });
    return { usability: 'none', capabilities: [], isPlain: false };
  }
}
