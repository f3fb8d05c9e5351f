// Streams the lines of a manifest from the store, in flat memory, for consumers that take lines when they need them. Its digest is known at
// the end: no line is valid before. A listing in segments has no lines here.
import { createHash } from 'node:crypto';
import { manifestUnsealing } from '../encryption/open-data-key.js';
import { unsealStream } from '../encryption/unseal-stream.js';
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { inflateManifest } from './inflate-manifest.js';
import type { ReadLoadedOptions } from './loaded-manifest.js';
import type { ParsedHead } from './manifest-head-parse.js';
import { ManifestParser, type Line } from './manifest-parser.js';
import { openManifest } from './open-manifest.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

export interface StreamLinesOptions extends ReadLoadedOptions {
  readonly uploadId: UploadId;
  /** Gets the head before the first line comes. */
  readonly onHead: (head: ParsedHead) => void;
  /** Gets the head and the hex SHA-256 of the stored bytes, once everything was read. */
  readonly onEnd: (head: ParsedHead, sha256: string) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** Lines of the manifest in the order of the file, in batches. @throws not-found, access-denied, integrity, unsupported, cancelled */
export async function* streamLines(
  reader: ObjectReader,
  { onEnd, signal, ...options }: StreamLinesOptions,
): AsyncGenerator<readonly Line[]> {
  const { uploadId } = options;
  const key = manifestKeyOf(uploadId);
  const what = `the manifest ${key}`;
  const { body } = await openManifest(reader, key, { signal });
  const digest = createHash('sha256');
  const opened = unsealStream(body, {
    ...manifestUnsealing(reader, uploadId, what, signal),
    onStored: (piece) => digest.update(piece),
    onSealed: () => undefined,
  });
  let batch: Line[] = [];
  const parser = new ManifestParser({ ...options, key, onLine: (line) => batch.push(line) });
  for await (const piece of inflateManifest(opened, { what, signal })) {
    throwIfCancelled(signal);
    parser.push(piece);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  await onEnd(parser.finish(), digest.digest('hex'));
}
