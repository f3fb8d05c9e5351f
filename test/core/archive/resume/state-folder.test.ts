import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { savedUploads } from '../../../../src/core/archive/resume/state-folder.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const ID = asUploadId('20260304-050607-01020304');
const OTHER = '20260304-050607-0102030f';

async function folderOf(...names: readonly string[]): Promise<string> {
  const folder = join(await tempFolder(), 'state');
  mkdirSync(folder);
  for (const name of names) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), 1000, 1000);
  }
  return folder;
}

test('a folder that is not there holds nothing', async () => {
  expect(await savedUploads('/nonexistent/state').findAll('h')).toEqual([]);
  await savedUploads('/nonexistent/state').removeOrphans(5);
});

test('what is no state is passed over', async () => {
  const folder = await folderOf('notes.txt', 'x.json', `${ID}.entries`);

  expect(await savedUploads(folder).findAll('h')).toEqual([]);
});

test('files of which the state is missing are removed when they are old, and nothing else is', async () => {
  const temporary = `.${ID}.json.0123456789ab`;
  const folder = await folderOf(
    `${ID}.json`,
    `${ID}.entries`,
    `${OTHER}.entries`,
    `${OTHER}.lock`,
    temporary,
    `${ID}.lock.0123456789ab`,
    'notes.txt',
  );

  expect(await savedUploads(folder).removeOrphans(1_000_000)).toBe(0);
  expect(await savedUploads(folder).removeOrphans(1_000_001, true)).toBe(4);
  expect(readdirSync(folder)).toHaveLength(7);
  expect(await savedUploads(folder).removeOrphans(1_000_001)).toBe(4);

  expect(readdirSync(folder).sort()).toEqual([`${ID}.entries`, `${ID}.json`, 'notes.txt']);
});

test('removing takes all files of one upload', async () => {
  const folder = await folderOf(`${ID}.json`, `${ID}.entries`, `${ID}.lock`, `${OTHER}.json`);

  await savedUploads(folder).remove(ID);

  expect(readdirSync(folder)).toEqual([`${OTHER}.json`]);
});
