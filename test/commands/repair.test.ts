import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { command } from '../../src/commands/repair.js';
import { cutManifest, documentOf, loseManifest, manifestPath, uploaded } from '../core/mend/repair/repair-cases.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([command], [], 'repair alone');
let home = '';
let base = '';
let id = '';
let url = '';

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root, folder: home, env: { NO_COLOR: '1' } }, ['repair', ...argv]);

beforeEach(async () => {
  home = await tempFolder();
  base = join(home, 'store');
  mkdirSync(join(home, 'source'));
  for (const name of ['a', 'b', 'esc\u001b[2J']) writeFileSync(join(home, 'source', name), `content of ${name}`);
  id = await uploaded(join(home, 'source'), base);
  url = `file://${base}/uploads/${id}`;
});

test('says what it would write, with the command that does it', async () => {
  cutManifest(base, id);
  const before = readFileSync(manifestPath(base, id));

  const { status, stdout } = await run(url);

  expect(status).toBe(0);
  expect(stdout).toContain('its manifest can be rebuilt (the manifest');
  expect(stdout).toMatch(/holds {5}3 entries, 3 files/);
  expect(stdout).toMatch(/found {5}\S+, by the tables of contents of its chunks/);
  expect(stdout).toMatch(/to keep {3}uploads\/.*[0-9a-f]{8}\.pre-repair\.bak/);
  expect(stdout).toContain(`archiver repair ${url} --execute`);
  expect(readFileSync(manifestPath(base, id))).toEqual(before);
});

test('--execute repairs, --json is one document', async () => {
  const before = documentOf(base, id);
  loseManifest(base, id);

  const { status, stdout } = await run(url, '--execute', '--json');

  expect(status).toBe(0);
  expect(json(stdout)).toMatchObject({
    uploadId: id,
    location: url,
    status: 'repaired',
    version: 1,
    rebuilt: { entries: 3, listing: 'full', takenFrom: null },
    lost: [],
    manifestSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    requests: { copy: 0 },
  });
  expect(documentOf(base, id).files).toEqual(before.files);
});

test('what chunks do not tell is named in text and JSON, and is no loss: status 0 before and after', async () => {
  const before = documentOf(base, id);
  loseManifest(base, id);

  const tried = await run(url, '--json');
  const done = await run(url, '--execute');

  expect([tried.status, done.status]).toEqual([0, 0]);
  expect(done.stdout).toContain('\n  unknown   mode, time and owner of the source folder itself, project, tags');
  expect(done.stdout).not.toMatch(/^ {2}(?:lost|unproven) /m);
  expect(json(tried.stdout)).toMatchObject({
    lost: [],
    isProven: true,
    unknowns: [expect.stringContaining('mode, time and owner of the source folder itself')],
  });
  const after = documentOf(base, id);
  expect(after.files).toEqual(before.files);
  expect(after['source']).toMatchObject({ mode: '0755', uid: 0, gid: 0 });
});

test('a sound manifest is nothing to repair, and nothing is said of chunks that were not looked at', async () => {
  const { status, stdout } = await run('--bucket', `file://${base}`, '-u', id, '--execute');

  expect(status).toBe(0);
  expect(stdout).toContain('a sound manifest: nothing to repair');
  expect(stdout).toContain(`Its chunks were not looked at: archiver verify ${url} does that`);
});

test('losses are named and make the status 3, names without their control characters', async () => {
  const [chunk] = documentOf(base, id).chunks.filter(({ key }) => key.startsWith('shard-00'));
  const path = join(base, 'uploads', id, chunk?.key ?? '');
  const bytes = readFileSync(path);
  bytes[50] = (bytes[50] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  loseManifest(base, id);

  const { status, stdout } = await run(url, '--execute');

  expect(status).toBe(3);
  expect(stdout).toContain('frames of shard-00/chunk-');
  expect(stdout).not.toContain('\u001b');
});

test('a chunk that is gone makes the status 3, also where a copy of the manifest is there', async () => {
  const [chunk] = documentOf(base, id).chunks.filter(({ key }) => key.startsWith('shard-00'));
  copyFileSync(manifestPath(base, id), `${manifestPath(base, id)}.0a1b2c3d.pre-repair.bak`);
  loseManifest(base, id);
  rmSync(join(base, 'uploads', id, chunk?.key ?? ''));

  const tried = await run(url);
  const { status, stdout } = await run(url, '--execute');

  expect([tried.status, status]).toEqual([3, 3]);
  expect(stdout).toMatch(/lost {6}shard-00\/chunk-\d+\.tar\.zst: chunk \d is not in the store/);
});

test('what cannot be repaired is one sentence with the next step, and status 1', async () => {
  rmSync(join(base, 'uploads', id), { recursive: true });
  const [text, document] = [await run(url), await run(url, '--json')];

  expect([text.status, document.status, text.stdout]).toEqual([1, 1, '']);
  expect(text.stderr).toContain('cannot be repaired: it has no chunks of its own');
  expect(json(document.stdout)).toMatchObject({ error: { code: 'integrity' } });
});

test.each([[[]], [['s3://bucket', '-u', 'a/b']], [['s3://bucket/uploads/x', '--bucket', 'b']]])(
  '%j is a usage error',
  async (argv) => {
    expect((await run(...argv)).status).toBe(2);
  },
);
