// Reads a store that lies below another, through the connections of that one.
import { defined } from '../platform/defined.js';
import type { ObjectReader } from './object-store.js';
import { joinStoreUrl } from './store-url.js';

/** Returns the reading half of the store at `place` below `reader`, such as `lab` or `writers/web-01`; '' is the reader itself. */
export function readerBelow(reader: ObjectReader, place: string): ObjectReader {
  if (place === '') return reader;
  const { keys, abilities } = reader;
  const above = (key: string): string => `${place}/${key}`;
  const below = (key: string): string => key.slice(place.length + 1);
  return {
    url: joinStoreUrl(reader.url, place),
    ...defined({ keys, abilities: abilities && { may: (ability, key) => abilities.may(ability, above(key)) } }),
    get: (key, options) => reader.get(above(key), options),
    async head(key, signal) {
      const found = await reader.head(above(key), signal);
      return found && { ...found, key };
    },
    async *list({ prefix = '', startAfter, ...options } = {}) {
      const asked = { ...options, prefix: above(prefix), ...defined({ startAfter: startAfter && above(startAfter) }) };
      for await (const { objects, prefixes } of reader.list(asked))
        yield {
          objects: objects.map((object) => ({ ...object, key: below(object.key) })),
          prefixes: prefixes.map(below),
        };
    },
  };
}
