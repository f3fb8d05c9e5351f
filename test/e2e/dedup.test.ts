// `archiver upload --enable-dedup` and what the other commands say of it.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { noise } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { makeFolder } from './upload-cli.js';

let home = '';
let source = '';
let url = '';
beforeEach(async () => {
  home = await tempFolder();
  source = makeFolder(home, 'source');
  const content = noise(100_000);
  for (const name of ['one', 'two', 'three']) writeFileSync(join(source, name), content);
  writeFileSync(join(source, 'other'), noise(100_000));
  url = `file://${join(home, 'store')}`;
});

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

test('says what it saved, and info, list, verify and sync go on as ever', async () => {
  const uploaded = await archiver(home, ['upload', source, url, '--enable-dedup']);
  expect(uploaded.stdout).toMatch(/equal +2 files stored with others of the same content, 195 KiB saved/);

  const listed = json((await archiver(home, ['sync', source, url, '--json'])).stdout);
  expect(listed).toMatchObject({ noChanges: true, unchanged: 4 });
  const upload = String(listed['location']);
  expect((await archiver(home, ['info', upload])).stdout).toMatch(
    /stored once +2 files equal to others \(195 KiB saved\)/,
  );
  expect(json((await archiver(home, ['info', upload, '--json'])).stdout)).toMatchObject({
    manifest: { dedup: { files: 2, bytes: 200_000 }, settings: { dedup: true } },
  });
  expect(
    (await archiver(home, ['list', upload])).stdout.split('\n').filter((line) => /one|two|three|other/.test(line)),
  ).toHaveLength(4);
  expect(json((await archiver(home, ['verify', upload, '--deep', '--json'])).stdout)).toMatchObject({
    ok: true,
    filesRead: 4,
  });
});

test('info counts equal files of all that a version lists, whichever upload stored them', async () => {
  await archiver(home, ['upload', source, url, '--enable-dedup']);
  writeFileSync(join(source, 'new'), noise(1000));
  const delta = String(json((await archiver(home, ['sync', source, url, '--json'])).stdout)['location']);
  writeFileSync(join(source, 'newer'), noise(200_000));
  const whole = String(json((await archiver(home, ['sync', source, url, '--json'])).stdout)['location']);
  const documents = [delta, whole].map(async (upload) =>
    json((await archiver(home, ['info', upload, '--json'])).stdout),
  );

  const saved = { files: 2, bytes: 200_000 };
  expect((await archiver(home, ['info', delta])).stdout).toMatch(
    /stored once +2 files equal to others \(195 KiB saved\)/,
  );
  expect(await Promise.all(documents)).toMatchObject([
    { manifest: { listing: 'delta', dedup: saved }, delta: { dedup: { files: 0, bytes: 0 } } },
    { manifest: { listing: 'full', dedup: saved } },
  ]);
});

test('a dry run tells how much would be packed', async () => {
  const ran = await archiver(home, ['upload', source, url, '--enable-dedup', '--dry-run', '--progress-format', 'json']);

  const plan = ran.stderr.split('\n').find((line) => line.includes('200100') || line.includes('200000'));
  expect([ran.status, plan === undefined]).toEqual([0, false]);
});

test('later syncs refer to what was moved, and say so, until they are told not to', async () => {
  await archiver(home, ['upload', source, url, '--enable-dedup']);
  mkdirSync(join(source, 'moved'));
  renameSync(join(source, 'other'), join(source, 'moved/other'));
  const planned = await archiver(home, ['sync', source, url, '--dry-run', '--track-deletes']);
  const synced = await archiver(home, ['sync', source, url, '--track-deletes']);
  renameSync(join(source, 'moved'), join(source, 'moved again'));
  const sent = json((await archiver(home, ['sync', source, url, '--no-enable-dedup', '--json'])).stdout);
  renameSync(join(source, 'moved again'), join(source, 'moved'));
  const told = json((await archiver(home, ['sync', source, url, '--enable-dedup', '--json'])).stdout);

  const words = '1 added, 0 modified, 1 deleted, 3 unchanged; 1 referred to content that is stored (97.7 KiB)';
  expect([planned.stdout, synced.stdout].map((text) => text.includes(words))).toEqual([true, true]);
  expect(sent).toMatchObject({ added: 1 });
  // A move costs nothing either way: only copies are left to --enable-dedup. What is moved back was never deleted.
  expect(sent).toMatchObject({ chunks: 0, referred: { files: 1, bytes: 100_000 } });
  expect(told).toMatchObject({ chunks: 0, referred: { files: 0, bytes: 0 } });
});
