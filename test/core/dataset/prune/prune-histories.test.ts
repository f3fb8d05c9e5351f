// Any history of a dataset, pruned in any way and then once more.
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { chunkKey } from '../../../../src/core/format/manifest/manifest-check.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { openVersion } from '../../../../src/core/dataset/chain/version-view.js';
import { listVersions, readVersion } from '../../../../src/core/dataset/records/versions.js';
import type { FileSpec } from '../../../support/make-archive.js';
import type { LinkSpec } from '../../../support/make-chain.js';
import { allContent, allKeys, DATASET, makeDataset } from '../../../support/make-dataset.js';
import { smallSegments } from '../../../support/small-segments.js';
import { datasetFolder, pruneFolder } from './prune-run.js';

type Step = ReadonlyMap<string, 'edit' | 'touch' | 'delete' | 'leave'>;

const NAMES = ['a', 'b', 'c', 'd-x', 'd.', 'e'];
const step = fc
  .tuple(...NAMES.map(() => fc.constantFrom<'edit' | 'touch' | 'delete' | 'leave'>('edit', 'touch', 'delete', 'leave')))
  .map((whats): Step => new Map(NAMES.map((name, index) => [name, whats[index] ?? 'leave'])));

/** The links of a history; each edited file lies in one of two chunks of its upload. */
function linksOf(steps: readonly Step[]): LinkSpec[] {
  const present = new Set<string>();
  return steps.map((whats, link) => {
    const files: FileSpec[] = [{ path: 'always', content: `${link}` }];
    const kept: Record<string, Record<string, unknown>> = {};
    const deleted: string[] = [];
    for (const [path, what] of whats) {
      if (what === 'edit') files.push({ path, content: `${path} ${link}`, chunk: files.length % 2 });
      else if (present.has(path) && what === 'touch') kept[path] = { mode: `06${link % 8}0` };
      else if (present.has(path) && what === 'delete') deleted.push(path);
      if (what === 'edit') present.add(path);
      if (what === 'delete') present.delete(path);
    }
    return { files, kept, deleted };
  });
}

/** Chunks that the views of all versions refer to. */
async function neededChunks(folder: string): Promise<string[]> {
  const store = fileStore(folder);
  const needed = new Set<string>();
  for (const { version } of await listVersions(store, DATASET)) {
    const record = await readVersion(store, { datasetId: DATASET, version: version });
    const view = await openVersion(store, record);
    for await (const batch of view.entries())
      for (const { chunk = -1 } of batch) needed.add(chunkKey(record.uploadId, view.chunks[chunk]?.key ?? '') ?? '');
  }
  return [...needed].sort();
}

/** Segments that the manifests of all versions name. */
async function namedSegments(folder: string): Promise<string[]> {
  const store = fileStore(folder);
  const named: string[] = [];
  for (const { version } of await listVersions(store, DATASET)) {
    const { chain } = await openVersion(store, await readVersion(store, { datasetId: DATASET, version }));
    for (const { segments = [] } of chain) named.push(...segments.map(({ key }) => key));
  }
  return [...new Set(named)].sort();
}

test.each([
  ['in one object', Infinity],
  ['in segments', 3],
])('%s, kept versions stay as they were, and the last one stays with exactly what it needs', async (_, from) => {
  onTestFinished(smallSegments(from, 2)());
  const histories = fc.array(step, { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 1, max: 4 }), fc.nat(3), async (steps, first, less) => {
      const folder = await datasetFolder(makeDataset(linksOf(steps)));
      const before = await allContent(fileStore(folder));
      for (const last of [first, Math.max(1, first - less)]) {
        await pruneFolder(folder, { keep: { last } });

        const kept = [...before.keys()].slice(-last);
        expect(await allContent(fileStore(folder))).toEqual(
          new Map(kept.map((version) => [version, before.get(version)])),
        );
      }
      // Once all is told in one listing, nothing may be left that it does not need.
      await pruneFolder(folder, { keep: { last: 1 } });
      const chunks = (await allKeys(fileStore(folder))).filter((key) => key.endsWith('.tar.zst'));
      expect(chunks).toEqual(await neededChunks(folder));
      expect((await allKeys(fileStore(folder))).filter((key) => key.includes('/manifest/'))).toEqual(
        await namedSegments(folder),
      );
    }),
    { numRuns: 15 },
  );
});
