import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openScanCache } from '../../../../src/core/dataset/cache/scan-cache.js';
import { tempFolder } from '../../../support/temp-folder.js';

const URL = 's3://bucket/lab';
const SCAN = { manifestSha256: 'a'.repeat(64), scanSha256: 'b'.repeat(64), gone: 3 };

test('a scan is remembered for each dataset, store and server', async () => {
  const folder = await tempFolder();
  const open = (server?: string) => openScanCache({ folder, onTrouble: (text) => expect.fail(text), server });
  await open().put(URL, 'patients', SCAN);
  expect(await open().get(URL, 'patients')).toMatchObject(SCAN);
  expect(await open().get(URL, 'others')).toBeUndefined();
  expect(await open().get('s3://bucket/other', 'patients')).toBeUndefined();
  expect(await open('http://server').get(URL, 'patients')).toBeUndefined();
});

test('one that is damaged counts as none, and one that cannot be kept is said', async () => {
  const folder = await tempFolder();
  const troubles: string[] = [];
  const scans = openScanCache({ folder, onTrouble: (text) => void troubles.push(text) });
  await scans.put(URL, 'patients', SCAN);
  const [name = ''] = await readdir(folder);
  const text = await readFile(join(folder, name), 'utf8');
  for (const damaged of [text.replace('"gone":3', '"gone":4'), text.slice(0, 40), '']) {
    await writeFile(join(folder, name), damaged);
    expect(await scans.get(URL, 'patients')).toBeUndefined();
  }
  await writeFile(join(folder, 'file'), '');
  const nowhere = openScanCache({
    folder: join(folder, 'file', 'in it'),
    onTrouble: (said) => void troubles.push(said),
  });
  await nowhere.put(URL, 'patients', SCAN);
  expect(troubles).toEqual([expect.stringContaining('cannot be written (ENOTDIR)')]);
});
