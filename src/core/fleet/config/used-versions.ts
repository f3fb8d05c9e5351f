// Which versions of its config a writer has used, where an agent that remembers nothing can see it: an empty object for each, whose name
// says the version. A writer may list what lies below `writers/<id>/`, and may not read it.
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';

const NAME = 'config-v';
const VERSION = /^\d{8,16}$/;

const beginning = (writerId: string): string => `writers/${writerId}/${NAME}`;

/** Returns the highest version; 0 when none is there, and when the writer may not list. One LIST. @throws what the listing throws */
export async function highestUsed(reader: ObjectReader, writerId: string, signal: AbortSignal): Promise<number> {
  const prefix = beginning(writerId);
  const found = await ifAllowed(reader, 'list', prefix, async () => {
    let highest = 0;
    for await (const { objects } of reader.list({ prefix, signal }))
      for (const { key } of objects) {
        const digits = key.slice(prefix.length);
        if (VERSION.test(digits) && Number.isSafeInteger(Number(digits))) highest = Math.max(highest, Number(digits));
      }
    return highest;
  });
  return found ?? 0;
}

/** Notes that a version is used. @throws what writing throws */
export async function noteUsed(
  store: ObjectStore,
  { writerId, version }: { readonly writerId: string; readonly version: number },
  signal: AbortSignal,
): Promise<void> {
  // Without a condition: whoever puts it puts the same, and plain stores know none.
  await store.put(beginning(writerId) + String(version).padStart(8, '0'), new Uint8Array(), { signal });
}
