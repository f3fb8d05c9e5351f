// What a killed restore leaves in its output folder, and what becomes of it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeTree, noise } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, uploadJson } from './upload-cli.js';

test(
  'stays while it is only suspended, and goes with the next restore into the folder',
  { timeout: 180_000 },
  async () => {
    const home = await tempFolder();
    const [source, out] = [join(home, 'source'), join(home, 'out')];
    mkdirSync(join(source, 'deep'), { recursive: true });
    writeFileSync(join(source, 'deep/large'), noise(40_000_000));
    writeFileSync(join(source, 'small'), 'small');
    const { location } = (await uploadJson(home, [source, `file://${home}/store`, '--frame-size', '1MiB'])).document;
    const ours = (): string[] =>
      !existsSync(out)
        ? []
        : readdirSync(out, { recursive: true })
            .map(String)
            .filter((name) => name.includes('.archiver-'));

    const args = ['restore', location, out, '--all', '--limit-download', '4MiB', '--quiet'];
    const child = spawn(process.execPath, [CLI, ...args], { stdio: 'ignore', env: { ...process.env, HOME: home } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await vi.waitFor(() => expect(ours().some((name) => name.startsWith('deep/'))).toBe(true), 150_000);
    child.kill('SIGSTOP');
    const left = ours();
    await archiver(home, ['restore', location, out, '--file', 'small']);
    const whileSuspended = ours();
    child.kill('SIGKILL');
    await exited;
    const last = await archiver(home, ['restore', location, out, '--all']);

    expect(left.length).toBeGreaterThan(1);
    expect(whileSuspended.sort()).toEqual(left.sort());
    expect([last.status, ours()]).toEqual([0, []]);
    expect(describeTree(join(out, 'deep'))).toEqual(describeTree(join(source, 'deep')));
  },
);

test('the file by which it looked for names that are one goes with the next restore, other files of the user stay', async () => {
  const home = await tempFolder();
  const [source, out] = [join(home, 'source'), join(home, 'out')];
  for (const folder of [source, out]) mkdirSync(folder);
  writeFileSync(join(source, 'file'), 'content');
  writeFileSync(join(out, '.archiver-0123abcd-probe-\u00e9'), '');
  writeFileSync(join(out, '.archiver-0123abcd0123abcd-probe-\u00e9'), '');
  writeFileSync(join(out, '.archiver-mine-probe-\u00e9'), '');
  const { location } = (await uploadJson(home, [source, `file://${home}/store`])).document;

  const { status } = await archiver(home, ['restore', location, out, '--all']);

  expect([status, readdirSync(out).toSorted()]).toEqual([0, ['.archiver-mine-probe-\u00e9', 'file']]);
});
