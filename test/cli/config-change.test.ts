import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { composeConfig, openConfig, writeConfig } from '../../src/cli/config-change.js';
import { program } from '../../src/commands/index.js';
import { tempFolder } from '../support/temp-folder.js';

let around: Parameters<typeof openConfig>[1];
let path = '';

beforeEach(async () => {
  const folder = await tempFolder();
  around = { env: {}, userHome: folder, cwd: join(folder, 'here'), tree: () => program() };
  path = join(folder, '.archiver.yaml');
});

test('a file that somebody else changes meanwhile, or makes, stays as it is', async () => {
  const absent = await openConfig(undefined, around);
  writeFileSync(path, '# theirs\n');
  const opened = await openConfig(undefined, around);
  writeFileSync(path, '# theirs, later\n');

  for (const one of [absent, opened])
    await expect(writeConfig(one, 'storage: {}\n')).rejects.toThrow(/was changed by someone else meanwhile/);

  expect(readFileSync(path, 'utf8')).toBe('# theirs, later\n');
});

test('what is written keeps its mode, and a new file is for its owner alone', async () => {
  await writeConfig(await openConfig(undefined, around), 'upload:\n  shardCount: 8\n');
  const fresh = statSync(path).mode & 0o777;
  writeFileSync(join(path, '..', 'other'), '', { mode: 0o644 });
  await writeConfig(await openConfig(join(path, '..', 'other'), around), '# x\n');

  expect([fresh, statSync(join(path, '..', 'other')).mode & 0o777]).toEqual([0o600, 0o644]);
});

test('what means the same elsewhere in the file goes, and nothing that would not be valid is made', async () => {
  writeFileSync(path, 'defaults:\n  region: a\n  enableDedup: true\n');
  const opened = await openConfig(undefined, around);

  expect(await composeConfig(opened, { 'aws.region': 'b', 'defaults.enableDedup': true }, around)).toBe(
    'defaults:\n  enableDedup: true\naws:\n  region: b\n',
  );
  await expect(composeConfig(opened, { 'upload.shardCount': 99 }, around)).rejects.toThrow(/shardCount/);
});
