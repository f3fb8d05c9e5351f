// A manifest of files at any paths, without the folders above them.
import * as fc from 'fast-check';
import type { Entry } from '../../src/core/format/manifest/manifest-types.js';
import { histories, uploadIdOf } from './chain-model.js';
import { raw } from './raw.js';
import { type WrittenHistory, writtenHistory } from './written-history.js';

const entries = fc
  .sample(histories, { numRuns: 20, seed: 1 })
  .flatMap(([first]) => first?.level.mentions ?? [])
  .filter((mention): mention is Entry => mention.type !== 'deleted');
const entry = entries.find(({ type, segments }) => type === 'file' && segments !== undefined);
const folder = entries.find(({ type }) => type === 'directory');

/**
 * A full listing of these files, each of 7 bytes in two parts with a hole, and of the folders whose path ends with a slash; of no others.
 */
export async function writtenFiles(
  paths: readonly string[],
  blockEntries: number,
  isSegmented = false,
): Promise<WrittenHistory> {
  const mentions = paths.toSorted().map((path): Entry => {
    if (path.endsWith('/')) return { ...folder!, path: raw(path.slice(0, -1)) };
    return { ...entry!, path: raw(path), holes: [[0, 1]] };
  });
  const [model] = fc.sample(histories, { numRuns: 1, seed: 1 })[0] ?? [];
  const level = { ...model!.level, uploadId: uploadIdOf(0), mentions };
  const view = new Map(mentions.map((mention) => [mention.path, { entry: mention, level }]));
  return await writtenHistory([{ level, view }], { blockEntries }, () => isSegmented);
}
