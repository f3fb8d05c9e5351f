// `archiver browse` and `archiver shell` on a manifest of many blocks: the screen is there although a block that it does not need is damaged,
// which proves that it was not read; what needs that block says so.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLI } from '../../e2e/upload-cli.js';
import { generateStore, groupedPath } from '../../support/generated-store.js';
import { openSession, type TerminalSession } from '../../support/terminal-session.js';

const FILES = 120_000;
let folder: string;
const RIGHT = '\u001b[C';
const DOWN = '\u001b[B';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-browse-'));
  await generateStore({ folder: join(folder, 'store'), files: FILES, pathOf: groupedPath });
  await generateStore({ folder: join(folder, 'damaged'), files: FILES, pathOf: groupedPath });
  const path = join(folder, 'damaged/uploads/20260101-000000-0badcafe/manifest.json.gz');
  const bytes = readFileSync(path);
  // Somewhere among the entries of group-0001.
  const middle = Math.floor(bytes.length * 0.6);
  for (let at = middle; at < middle + 20; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

function open(command: readonly string[], columns = 120): TerminalSession {
  const env = { HOME: folder, ARCHIVER_HOME: join(folder, '.archiver') };
  return openSession([CLI, ...command], { cwd: folder, env, columns, rows: 40 });
}
const urlOf = (store: string): string => `file://${join(folder, store)}`;

it('browses, marks and searches a large archive', async () => {
  const session = open(['browse', urlOf('store'), './out', '--dataset-id', 'd']);
  await session.until(/group-0002\/ +254 KiB/);
  await session.until(/files +50 000/);
  session.type(`${DOWN}${RIGHT}`);
  await session.until(/folder-000060\/ +12\.7 KiB/);
  session.type(' ');
  await session.until('50 000 selected');
  session.type('/FILE-777\r');
  await session.until(/ 0 of 120 000$/);
  session.type('/\u0015file-777\r');
  await session.until(/ 120 of 120 000$/);
  session.type('q');
  expect(await session.exited).toBe(0);
});

it('shows what it can read of a damaged one, and says what it cannot', async () => {
  const session = open(['browse', urlOf('damaged'), './out', '--dataset-id', 'd']);
  await session.until('group-0002/');
  await session.until('is missing');
  // What came before the damage is added up.
  await session.until((lines) => /group-0000\/ +635 KiB[^]*group-0001\/ +…/.test(lines.join('\n')));
  session.type(`${DOWN}${DOWN}${RIGHT}`);
  await session.until(/folder-000109\/ +12\.7 KiB/);
  session.type('q');
  expect(await session.exited).toBe(0);
});

it('is looked around in with a shell: what a line needs is read, a whole that cannot be is no part of it', async () => {
  const session = open(['shell', urlOf('damaged'), '--dataset-id', 'd']);
  await session.until('120 000 files, 1.5 MiB');
  session.type('ls gr\t2/fol\t00/file-00*\r');
  await session.until('10 files, 130 B');
  session.type('cd group-0002; ls\r');
  await session.until('20 000 files, 254 KiB');
  session.type('ls ..\r');
  await session.until(/✗.+manifest/);
  session.type('exit\r');
  expect(await session.exited).toBe(0);
});
