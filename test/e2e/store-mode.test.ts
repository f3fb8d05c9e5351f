// Who may read what the program writes to a folder.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';

const bits = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const modesBelow = (folder: string): Set<string> =>
  new Set(readdirSync(folder, { recursive: true }).map((name) => bits(join(folder, String(name)))));

async function source(): Promise<{ folder: string; tree: string; home: string }> {
  const folder = await tempFolder();
  const [tree, home] = [join(folder, 'tree'), join(folder, 'home')];
  mkdirSync(tree);
  mkdirSync(home);
  writeFileSync(join(tree, 'secret'), 'secret', { mode: 0o600 });
  return { folder, tree, home };
}

it('an upload is not more readable than its sources, unless --store-mode says so', async () => {
  const { folder, tree, home } = await source();
  const [closed, open] = [join(folder, 'closed'), join(folder, 'open')];

  const first = await archiver(home, ['upload', tree, `file://${closed}`]);
  const second = await archiver(home, ['sync', tree, `file://${open}`, '--store-mode', '0640']);

  expect([first.status, second.status]).toEqual([0, 0]);
  expect(modesBelow(closed)).toEqual(new Set(['600', '700']));
  expect(modesBelow(open)).toEqual(new Set(['640', '750']));
});

it.each([
  ['upload', 'TREE', 's3://bucket/x'],
  ['sync', 'TREE', 's3://bucket/x'],
  ['create', 'upload', '--bucket', 's3://bucket/x', 'TREE', '--yes'],
  ['balance', 's3://bucket/x/uploads/20251114-093012-1a2b3c4d'],
  ['repair', 's3://bucket/x/uploads/20251114-093012-1a2b3c4d'],
])('--store-mode is refused for S3: %s %s', async (...args) => {
  const { tree, home } = await source();
  const argv = args.map((arg) => (arg === 'TREE' ? tree : arg));

  const { status, stderr } = await archiver(home, [...argv, '--store-mode', '0640']);

  expect(status).toBe(2);
  expect(stderr).toContain('S3 has no file modes: --store-mode needs a file:// target');
});
