// A manifest of files at any paths, without the folders above them.
import * as fc from 'fast-check';
import type { Entry } from '../../src/core/format/manifest/manifest-types.js';
import { histories, uploadIdOf } from './chain-model.js';
import { raw } from './raw.js';
import { type WrittenHistory, writtenHistory } from './written-history.js';

const [entry] = fc
  .sample(histories, { numRuns: 20, seed: 1 })
  .flatMap(([first]) => first?.level.mentions ?? [])
  .filter((mention): mention is Entry => mention.type === 'file' && mention.segments !== undefined);

/** A full listing of these files and nothing else, each of 7 bytes in two parts with a hole. */
export async function writtenFiles(paths: readonly string[], blockEntries: number): Promise<WrittenHistory> {
  const mentions = paths.toSorted().map((path): Entry => ({ ...entry!, path: raw(path), holes: [[0, 1]] }));
  const [model] = fc.sample(histories, { numRuns: 1, seed: 1 })[0] ?? [];
  const level = { ...model!.level, uploadId: uploadIdOf(0), mentions };
  return await writtenHistory([{ level, view: new Map() }], { blockEntries });
}
