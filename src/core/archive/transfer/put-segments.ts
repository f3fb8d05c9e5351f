// Puts the segments of a manifest, before anything names them.
import type { EncodedSegment } from '../../format/manifest/segment-texts.js';
import { defined } from '../../platform/defined.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { uploadFolder } from '../../store/ids/upload-id.js';
import type { Sender } from '../run/sender.js';
import { putOnce } from './put-once.js';

const SEGMENTS_AT_ONCE = 8;

interface Hooks {
  /** Called with a key that is about to be put. */
  readonly onSend?: (key: string) => void;
  /** Called with a key that this process has put. */
  readonly onPut?: (key: string) => void;
}

/** Puts segments into the folder of their upload. @throws what the store throws */
export async function putSegments(
  { store, uploadId, retention, signal }: Parameters<Sender['sendSegments']>[0],
  segments: readonly EncodedSegment[],
  { onSend, onPut }: Hooks = {},
): Promise<void> {
  await forEachLimit(segments, SEGMENTS_AT_ONCE, async ({ place, bytes }) => {
    const { sha256 } = place;
    const key = uploadFolder(uploadId) + place.key;
    onSend?.(key);
    const options = { sha256, contentType: 'application/gzip', exclusive: true, signal, ...defined({ retention }) };
    if ((await putOnce(store, key, bytes, options)) === 'put') onPut?.(key);
  });
}
