// The storage class is part of a dataset as its encryption is: where nothing says one, the chunks of a version go where those of the version
// before were sent. It is only a default, and told: what cannot be read of that version costs a warning, never the upload. What
// lifecycle rules have made of its chunks since does not count.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { readManifestFront } from '../../format/manifest/manifest-front.js';
import { readManifest } from '../../format/manifest/manifest-reader.js';
import type { EventSink } from '../../events/events.js';
import { isArchiverError, usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { ifAllowed } from '../../store/abilities.js';
import { isColdClass } from '../../store/cold-class.js';
import type { ObjectStore } from '../../store/object-store.js';
import { STORAGE_CLASSES } from '../../store/providers/storage-classes.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';
import type { LayoutOptions } from './settings.js';

/** What a manifest says of uploads whose files went to classes by their age; no class of a version after it. */
const AUTO_TIER = 'auto-tier';

/** Returns what a manifest says of the class of its own chunks. */
export const recordedClass = ({ storageClass, tiers }: Pick<LayoutOptions, 'storageClass' | 'tiers'>): string =>
  tiers === undefined ? storageClass : AUTO_TIER;

/**
 * Returns the class for a version after one that was sent to `before`, and reports it; undefined for a class that uploads cannot use.
 * @throws usage for a cold class where the upload is to be read back
 */
export function keepClass(
  before: string | undefined,
  { warn, emit, layout }: Telling & { readonly layout: LayoutOptions },
): string | undefined {
  if (before === undefined || before === AUTO_TIER) return undefined;
  if (!STORAGE_CLASSES.some((name) => name === before)) {
    warn(`the version before is in storage class '${printable(before)}', which is none of S3: not kept`);
    return undefined;
  }
  if (layout.isReadBack === true && isColdClass(before))
    throw usageError(
      `what is uploaded is to be read back at once, and ${before}, the storage class of the version before, takes hours to be read; nothing was sent`,
      '--storage-class STANDARD sends it where it can be read',
    );
  if (before !== 'STANDARD') emit({ type: 'note', text: `storage class ${before}, as the version before` });
  return before;
}

interface Telling {
  readonly warn: (text: string) => void;
  readonly emit: EventSink;
}

interface Reading extends Pick<Telling, 'warn'> {
  readonly store: ObjectStore;
  readonly signal: AbortSignal;
}

/** Reads the class from the front of a manifest; undefined, with a warning, where it cannot be read. @throws cancelled, store */
export async function classInManifest(
  { uploadId }: Pick<VersionRecord, 'uploadId'>,
  { store, warn, signal }: Reading,
): Promise<string | undefined> {
  try {
    return await ifAllowed(store, 'read', manifestKeyOf(uploadId), async () => {
      const front = await readManifestFront(store, uploadId, signal);
      // One that is encrypted has no front to be read.
      const head = front ?? (await readManifest(store, { uploadId, headOnly: true, signal })).head;
      return head.storage['storageClass'];
    });
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'not-found', 'unsupported', 'conflict')) throw error;
    warn(`the storage class of the version before is not known, this one goes to STANDARD: ${error.message}`);
    return undefined;
  }
}
