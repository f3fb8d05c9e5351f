// Lines of a listing in their order, of which plain files and folders are rows, in whatever order they come and whatever they say.
import { type LoadedManifest, readLoaded, textsOf } from '../manifest/loaded-manifest.js';
import type { Line, ManifestParser } from '../manifest/manifest-parser.js';
import { pathOf, type RowBatch } from './row-batch.js';
import { RowScanner } from './row-scanner.js';

/** Lines, or rows, which are others after the next batch. */
export type LineBatch = readonly Line[] | RowBatch;

export const isRows = (batch: LineBatch): batch is RowBatch => 'pathEnd' in batch;

/**
 * All lines of the manifest in batches. A line that is not after the one before is no row. `scanner` continues after what it has read.
 * @throws integrity, what reading segments throws
 */
export async function* rowLines(loaded: LoadedManifest, scanner = RowScanner.open()): AsyncGenerator<LineBatch> {
  if (scanner === undefined) {
    yield* readLoaded(loaded);
    return;
  }
  let before: ManifestParser | undefined;
  for await (const { lines, parser, positions, finish } of textsOf(loaded)) {
    finish?.();
    if (parser !== before) scanner.refer({ chunks: loaded.head.chunks, positions, read: (line) => parser.read(line) });
    before = parser;
    scanner.load(lines);
    let others: Line[] = [];
    while (!scanner.isAtEnd) {
      const rows = scanner.take(undefined);
      if (rows === undefined) {
        const line = parser.parse(scanner.line());
        scanner.skip();
        if (line === undefined) continue;
        scanner.follows(line.path);
        others.push(line);
        continue;
      }
      parser.count(rows.count, pathOf(rows, 0));
      if (others.length > 0) yield others;
      others = [];
      yield rows;
    }
    if (others.length > 0) yield others;
  }
}
