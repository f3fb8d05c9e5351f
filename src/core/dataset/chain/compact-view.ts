// Removes from a view the chunks that none of its entries refers to.
import { integrityError } from '../../platform/failures/errors.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import { moveEntry } from '../../format/manifest/move-entry.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import type { MergedView } from './merged-view.js';

const GONE = 0xff_ff_ff_ff;

/**
 * The same entries with positions in the shorter list. `used` comes from `summarize`. Reading the entries throws integrity when one refers
 * to a chunk that is not in the list.
 */
export function compactView(view: MergedView, used: Uint8Array): MergedView {
  const positions = new Uint32Array(view.chunks.length).fill(GONE);
  const chunks = view.chunks.filter((_, position) => used[position] === 1);
  let next = 0;
  for (let position = 0; position < positions.length; position++)
    if (used[position] === 1) positions[position] = next++;
  return {
    chunks,
    async *entries(onForeign) {
      for await (const batch of view.entries(onForeign)) yield batch.map((entry) => moved(entry, positions));
    },
  };
}

function moved(entry: Entry, positions: Uint32Array): Entry {
  return moveEntry(entry, (chunk) => {
    const found = positions[chunk];
    if (found !== undefined && found !== GONE) return found;
    throw integrityError(`${displayPath(entry.path)} is in chunk ${chunk}, which does not exist`);
  });
}
