// Random histories: whatever happens to a folder between two syncs, every version restores to the tree of its moment.
// ARCHIVER_TEST_HISTORIES says how many (default 8), ARCHIVER_TEST_SEED which is the first.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listVersions, readVersion } from '../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import { archiver } from '../../e2e/upload-cli.js';
import { restoreFrom } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';
import { RandomTree, randomOf } from './random-tree.js';
import { type Described, describeTree, MIB } from './trees.js';
import { uploadFolder, type UploadRunOptions } from './upload-folder.js';

const HISTORIES = Number(process.env['ARCHIVER_TEST_HISTORIES'] ?? 8);
const FIRST_SEED = Number(process.env['ARCHIVER_TEST_SEED'] ?? 1);
const VERSIONS = 12;
/** Small, so that small files are cut and there are several chunks. */
const CHUNK_BYTES = MIB / 2;

/** Unique ids, as the clock and the random generator would give. */
function ids(): Pick<UploadRunOptions, 'randomBytes'> {
  let next = 0;
  return { randomBytes: () => Buffer.from([0, 0, next >> 8, next++ & 0xff]) };
}

interface Restored {
  readonly failed: readonly unknown[];
  readonly tree: Record<string, Described>;
}

async function restoreVersion(base: string, datasetId: string, version: number): Promise<Restored> {
  const reader = fileStore(base);
  const { uploadId } = await readVersion(reader, { datasetId, version });
  const { failed, out } = await restoreFrom(reader, uploadId, { overwrite: 'always', keepSpecialBits: true });
  return { failed, tree: describeTree(rawFromText(out)) };
}

/** A folder that is edited and synced, and a store with a version for every state it had. */
class History {
  readonly trees: Record<string, Described>[] = [];
  datasetId = '';
  private readonly shared = {
    ...ids(),
    changes: { trackDeletes: true },
    allowMassDelete: true,
    chunkBytes: CHUNK_BYTES,
  };

  constructor(
    private readonly source: string,
    readonly base: string,
  ) {}

  /** Syncs twice; true when the second run found nothing to do. */
  async sync(): Promise<boolean> {
    const { datasetId, version } = await uploadFolder(this.source, this.base, this.shared).result;
    this.datasetId = datasetId;
    if (version !== null && version > this.trees.length) this.trees.push(describeTree(rawFromText(this.source)));
    const again = await uploadFolder(this.source, this.base, this.shared).result;
    return again.changes?.noChanges === true && again.version === this.trees.length;
  }
}

describe('random histories', () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
    test(
      `every version restores to the tree of its moment, also after a prune (seed ${seed})`,
      {
        timeout: 600_000,
      },
      async () => {
        const folder = await tempFolder();
        const source = join(folder, 'source');
        mkdirSync(source);
        const random = randomOf(seed);
        const tree = new RandomTree(source, random, 3 * CHUNK_BYTES);
        tree.edit(200); // large enough for chains of deltas
        const history = new History(source, join(folder, 'store'));
        for (let version = 1; version <= VERSIONS; version++) {
          expect(await history.sync()).toBe(true);
          tree.edit(1 + Math.floor(random() * 6));
          tree.settle();
        }
        const { base, datasetId, trees } = history;
        const check = async (version: number): Promise<void> => {
          const restored = await restoreVersion(base, datasetId, version);
          expect([version, restored.failed]).toEqual([version, []]);
          expect([version, restored.tree]).toEqual([version, trees[version - 1]]);
        };
        for (let version = 1; version <= trees.length; version++) if (random() < 0.4) await check(version);

        const keep = 1 + Math.floor(random() * (trees.length - 1));
        const args = [
          'dataset',
          'prune',
          `file://${base}`,
          '--dataset-id',
          datasetId,
          '--force',
          '--allow-mass-delete', // random trees may halve
          '--keep-last',
          `${keep}`,
        ];
        const pruned = await archiver(folder, args);
        expect(pruned.stderr).not.toContain('✗');
        expect(await listVersions(fileStore(base), datasetId)).toHaveLength(keep);
        await check(trees.length - keep + 1);
        await check(trees.length);
        expect(await history.sync()).toBe(true);
        await check(history.trees.length);
      },
    );
  }
});
