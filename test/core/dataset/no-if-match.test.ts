// Stores that answer 412 to every If-Match, as Ceph Pacific does in a bucket with versions: what replaces objects says so.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { tempFolder } from '../../support/temp-folder.js';
import { balanceFolder, folderWith, lonely } from '../mend/balance/balance-run.js';
import { cutManifest, repair, uploaded } from '../mend/repair/repair-cases.js';
import { datasetFolder, pruneFolder } from './prune/prune-run.js';

type Run = { readonly wrap: (store: ObjectStore) => ObjectStore };

const wrap = (store: ObjectStore): ObjectStore => ({
  ...store,
  put: async (key, body, options) => {
    if (options?.ifMatch !== undefined) throw new StoreError('conflict', '412');
    return await store.put(key, body, options);
  },
});

const ways: readonly (readonly [string, (run: Run) => Promise<unknown>])[] = [
  ['prune', async (run) => await pruneFolder(await datasetFolder(), run)],
  ['balance', async (run) => await balanceFolder(await folderWith(lonely()), run)],
  [
    'repair',
    async (run) => {
      const [source, base] = [await tempFolder(), await tempFolder()];
      writeFileSync(join(source, 'file'), 'content');
      const id = await uploaded(source, base);
      cutManifest(base, id);
      return await repair(base, id, run);
    },
  ],
];

test.each(ways)('%s says what the store does not keep, and blames no other process', async (_, way) => {
  await expect(way({ wrap })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(/cannot be replaced: .*it does not keep If-Match/),
  });
});
