// --quiet: a scheduler mails what is printed, so an operation that went well prints nothing at all.
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';

test('a day of operations says nothing, and what goes wrong is still said', async () => {
  const home = await tempFolder();
  const [source, store] = [join(home, 'source'), join(home, 'store')];
  mkdirSync(source);
  writeFileSync(join(source, 'a'), 'one');
  const base = `file://${store}`;
  const quiet = async (...args: readonly string[]): Promise<void> => {
    const { status, stdout, stderr } = await archiver(home, [...args, '--quiet']);
    expect({ args, status, stdout, stderr }).toEqual({ args, status: 0, stdout: '', stderr: '' });
  };
  await quiet('upload', source, base, '--dataset-id', 'lab');
  appendFileSync(join(source, 'a'), ' two');
  await quiet('sync', source, base, '--dataset-id', 'lab', '--track-deletes');
  const uploads = readdirSync(join(store, 'uploads')).map((id) => `${base}/uploads/${id}`);
  const [newest = ''] = uploads;

  for (const url of uploads) await quiet('verify', url, '--deep');
  await quiet('restore', base, join(home, 'out'), '--dataset-id', 'lab', '--all');
  await quiet('download', newest, join(home, 'out2'));
  await quiet('repair', newest);
  await quiet('balance', newest);
  await quiet('dataset', 'prune', base, '--dataset-id', 'lab', '--keep-last', '1', '--yes');
  await quiet('resume', 'clean');
  await quiet('restore', 'jobs', 'clean');
  await quiet('context', 'switch', 'local');
  await quiet('context', 'reset');

  // What was asked for is printed, and so is an operation that found something.
  expect((await archiver(home, ['dataset', 'list', base, '--quiet'])).stdout).toContain('lab');
  expect((await archiver(home, ['--version', '--quiet'])).stdout).toContain('archiver');
  const chunks = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('chunk-'));
  for (const name of chunks) writeFileSync(join(store, name), 'damaged');
  const [left = ''] = readdirSync(join(store, 'uploads'));
  const damaged = await archiver(home, ['verify', `${base}/uploads/${left}`, '--quiet']);
  expect(damaged.status).toBe(1);
  expect(damaged.stdout).toContain('is damaged');
});
