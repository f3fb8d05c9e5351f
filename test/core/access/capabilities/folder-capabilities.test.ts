import { readdirSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderCapabilities } from '../../../../src/core/access/capabilities/ask-capabilities.js';
import type { Capability } from '../../../../src/core/access/capabilities/capability.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { tempFolder } from '../../../support/temp-folder.js';

const noLinks = (): Promise<void> => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }));

async function rows(path: string, link?: () => Promise<void>, now = () => new Date()): Promise<readonly Capability[]> {
  const store = fileStore(path, { link });
  const { signal } = new AbortController();
  const asked = { store, deleter: store, path, link, folder: 'uploads/x/', randomBytes, now, signal };
  return await folderCapabilities(asked);
}

test('a folder has the rows that mean something there, and nothing of the look stays', async () => {
  const path = join(await tempFolder(), 'store');
  const found = await rows(path);

  expect(found.map(({ name, state, detail }) => [name, state, detail])).toEqual([
    ['create-once', 'yes', 'of two writers at one key one is refused, by hard links'],
    ['versions', 'no', 'a folder keeps none'],
    ['unfinished-uploads', 'yes', 'they are temp files in the folder'],
    ['clock', 'yes', 'within a minute of that of this computer'],
  ]);
  expect(readdirSync(path)).toEqual([]);
});

test('where there are no hard links a lock stands in for them', async () => {
  const path = await tempFolder();
  const [createOnce] = await rows(path, noLinks);

  expect(createOnce).toMatchObject({
    state: 'yes',
    detail: 'of two writers at one key one is refused, under a lock, as there are no hard links',
  });
  expect(readdirSync(path)).toEqual([]);
});

test('the clock is that of the file system', async () => {
  const later = (): Date => new Date(Date.now() + 3_600_000);
  const found = await rows(await tempFolder(), undefined, later);

  expect(found.at(-1)).toMatchObject({ state: 'no', detail: "that of the store is 60 minutes behind this computer's" });
});
