// What is shown as 05:12 is found as 05:12, in whatever zone the computer is.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { program } from '../../src/commands/index.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
const zone = process.env['TZ'];

afterEach(() => {
  process.env['TZ'] = zone;
});

it.each([
  ['America/New_York', '2026-11-23 05:12', '-05:00'],
  ['Asia/Kolkata', '2026-11-23 15:42', '+05:30'],
])('in %s', async (name, shown, offset) => {
  process.env['TZ'] = name;
  const folder = await tempFolder();
  mkdirSync(join(folder, 'w'));
  const run = (argv: readonly string[], now = new Date('2026-12-01T00:00:00Z')) =>
    runCommand({ root, folder, now: () => now }, argv);
  for (const moment of ['2026-11-23T10:12:40Z', '2026-11-23T10:13:05Z']) {
    writeFileSync(join(folder, 'w/a'), moment);
    await run(['sync', 'w', './store', '-q'], new Date(moment));
  }
  const versionAt = async (...argv: readonly string[]): Promise<unknown> => {
    const { status, stdout, stderr } = await run(['info', './store', '--json', ...argv]);
    return status === 0 ? String(json(stdout)['uploadId']).slice(9, 15) : stderr;
  };

  const { stdout } = await run(['dataset', 'versions', './store']);
  const utc = await run(['dataset', 'versions', './store', '--utc']);

  expect(stdout).toContain(`CREATED (${offset})`);
  expect(stdout).toMatch(new RegExp(`v1 .* ${shown}`));
  expect(utc.stdout).toMatch(/v1 .* 2026-11-23 10:12/);
  for (const text of [shown, shown.replace(' ', 'T'), `${shown}${offset}`, '2026-11-23T10:12Z'])
    expect([text, await versionAt('--as-of', text)]).toEqual([text, '101240']);
  expect(await versionAt('--as-of', '2026-11-23T10:12', '--utc')).toBe('101240');
  expect(await versionAt('--version', '2026-11-23')).toBe('101305');
});
