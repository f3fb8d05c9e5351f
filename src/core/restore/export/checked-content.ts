// The content of a file on its way into an archive, whose header has said already how long it is. What is wrong with it is told, and
// missing bytes become zeros.
import { integrityError } from '../../platform/failures/errors.js';
import { storedSize } from '../plan/extents.js';
import { dataRuns } from '../plan/sparse-map.js';
import { ContentHash, scatter } from '../write/content-hash.js';
import type { ArchivedEntry, Bytes } from './archive-format.js';
import { isOfFile } from './file-failure.js';

const ZEROS = Buffer.alloc(1 << 20);

interface Checked {
  readonly entry: ArchivedEntry;
  /** In hex; undefined where the manifest has none. */
  readonly md5: string | undefined;
  /** Called with what is wrong with content of which a part was given already. */
  readonly onFailure: (reason: string) => void;
}

/** Yields exactly the bytes that are stored of the file. @throws what `stored` throws before its first bytes, and what ends everything */
export async function* checkedContent(stored: Bytes, { entry, md5, onFailure }: Checked): Bytes {
  const { size, extra } = entry;
  const runs = dataRuns(size, extra?.holes ?? []);
  const wanted = storedSize(size, extra);
  const digest = md5 === undefined ? undefined : new ContentHash();
  let given = 0;
  try {
    for await (const bytes of stored) {
      if (given + bytes.byteLength > wanted) throw integrityError('it has more bytes than the manifest says');
      if (digest !== undefined) scatter(runs, given, bytes, (offset, part) => digest.update(offset, part));
      given += bytes.byteLength;
      yield bytes;
    }
    if (given < wanted) throw integrityError('it has fewer bytes than the manifest says');
    if (digest !== undefined && digest.digest(size) !== md5)
      onFailure('it is in the archive, and its content does not have the MD5 in the manifest');
  } catch (error) {
    if (given === 0 || !isOfFile(error)) throw error;
    onFailure(`it is in the archive with zeros in place of its end: ${error.message}`);
    for (let left = wanted - given; left > 0; left -= ZEROS.byteLength) yield ZEROS.subarray(0, left);
  }
}
