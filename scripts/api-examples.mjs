// The examples of docs/api.md as files that can be run: each block is a program. The places that they name become folders below `folder`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PLACES = /(?<=')\/(?:mnt|data|var|tmp)\/[^']*/g;

/** Writes them into `folder`, with a folder of photos to archive; gives their paths. `ending`: `mjs` to run them, `mts` to compile. */
export function apiExamples(folder, ending) {
  const photos = join(folder, 'data/photos/2026');
  mkdirSync(photos, { recursive: true });
  for (const name of ['a.jpg', 'b.jpg', 'c.tmp']) writeFileSync(join(photos, name), name.repeat(1000));
  const text = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program], index) => {
    const path = join(folder, `example-${index + 1}.${ending}`);
    writeFileSync(
      path,
      program.replaceAll(PLACES, (place) => join(folder, place)),
    );
    return path;
  });
}
