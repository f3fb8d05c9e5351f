// The view of a folder over its store, with keys as a terminal sends them.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../src/core/archive/scan/filter-options.js';
import { openSourceFs } from '../../../src/core/archive/scan/open-source-fs.js';
import { ownPrices } from '../../../src/core/cost/own-prices.js';
import { FileRows } from '../../../src/core/money/analyze/folder/file-rows.js';
import { FolderTree } from '../../../src/core/money/analyze/folder/folder-tree.js';
import { keptInClasses } from '../../../src/core/money/analyze/folder/kept-in-classes.js';
import { folderKeys } from '../../../src/screens/money/folder-keys.js';
import { FolderScreen } from '../../../src/screens/money/folder-screen.js';
import { createFolderStore, type FolderStore } from '../../../src/stores/money/folder-store.js';
import { createKeySource } from '../../../src/ui/keys.js';
import { runKey } from '../../../src/ui/use-keys.js';
import { draw } from '../../support/in-kit.js';
import { tempFolder } from '../../support/temp-folder.js';
import { scanFolder } from '../../core/archive/pack-tree.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
const prices = ownPrices({ provider: undefined, discount: undefined, own: {} })({
  provider: 'aws',
  region: 'us-east-1',
});
const ports = {
  // As if each byte were a gigabyte.
  classes: (bytes: number) => keptInClasses(bytes * 2 ** 30, prices),
  line: (paths: readonly string[]) => `archiver upload ${paths.join(' ')} s3://acme/lab`,
};
let store: FolderStore;

beforeEach(async () => {
  const root = await tempFolder();
  for (const [path, size, days] of [
    ['big/young.bin', 600, 2],
    ['big/deep/older.bin', 100, 900],
    ['old/a.bin', 250, 1500],
    ['old/evil\u001b[41m.txt', 40, 1500],
    ['file.txt', 10, 500],
  ] as const) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), 'x'.repeat(size));
    const at = new Date(NOW - days * DAY_MS);
    utimesSync(join(root, path), at, at);
  }
  const { entries } = scanFolder(root, { fs: openSourceFs(), filter: NO_FILTER });
  const rule = { nowMs: NOW, olderThanMs: 365 * DAY_MS, ageBy: 'mtime' } as const;
  store = createFolderStore(new FolderTree(new FileRows(entries, rule)));
});

function press(...ids: readonly string[]): void {
  for (const id of ids) {
    store.getState().do.notify(undefined);
    runKey(folderKeys(store.getState(), 10), { id, text: id });
  }
}
const screen = (columns = 100, rows = 24, look = {}): string =>
  draw(<FolderScreen store={store} ports={ports} where="./data" rule="1y by mtime" unseen={2} />, {
    columns,
    rows,
    keys: createKeySource(),
    ...look,
  });
const names = (): readonly string[] => store.getState().rows.map(({ name }) => name);

describe('the list', () => {
  test('has the largest first, with size, share, what is old of it, and the age of the newest', () => {
    const text = screen();

    expect(text).toMatch(/archiver analyze +\.\/data +old: 1y by mtime/);
    expect(text).toMatch(/5 files, 1000 B \(.* on disk\), 400 B old +2 not seen +sort: size/);
    expect(text).toMatch(/▸ +700 B +70% +━+ +14% +2d +big\/ +2/);
    expect(text).toMatch(/290 B +2[89]% .* 100% +4\.1y +old\/ +2/);
    expect(text).toMatch(/10 B +1% .* 100% +1\.3y +file\.txt/);
  });

  test('is sorted by size, age, old bytes and name in turn, and the cursor stays where it was', () => {
    expect(names()).toEqual(['big', 'old', 'file.txt']);
    press('s');
    expect(names()).toEqual(['old', 'file.txt', 'big']);
    expect(store.getState().position).toBe(2);
    press('s');
    expect(names()).toEqual(['old', 'big', 'file.txt']);
    press('s', 's');
    expect(names()).toEqual(['big', 'old', 'file.txt']);
  });

  test('goes into folders and back to where it came from', () => {
    press('down', 'enter');
    expect(screen()).toMatch(/archiver analyze +\.\/data\/old/);
    expect(screen()).toContain('evil\\x1b[41m.txt');
    press('left');
    expect([store.getState().folder, store.getState().position]).toEqual([0, 1]);
    press('left', 'end', 'enter');
    expect(store.getState().folder).toBe(0);
  });

  test.each([60, 80, 120, 200])('fits in %i columns, in ASCII, too', (columns) => {
    press('space', 'space');
    for (const look of [{}, { unicode: false, color: false }]) {
      const lines = screen(columns, 15, look).split('\n');
      expect(lines).toHaveLength(14);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      expect(lines.at(-1)).toContain('q quit');
    }
  });
});

describe('marks', () => {
  test('add up, with what a month costs in the cheapest classes', () => {
    press('space', 'space');

    expect([...store.getState().marks.keys()]).toEqual(['big', 'old']);
    expect(screen(120)).toMatch(/2 marked, 990 B · DEEP_ARCHIVE \$0\.98\/month · .* 3 of 3/);
    press('c');
    expect(screen()).toContain('nothing marked');
  });

  test('of a folder take those of what is in it, which then cannot be marked', () => {
    press('enter', 'end', 'space', 'left', 'home', 'space');
    expect([...store.getState().marks.keys()]).toEqual(['big']);
    press('home', 'enter', 'space');
    expect([...store.getState().marks.keys()]).toEqual(['big']);
    expect(screen()).toContain('it is in big/, which is marked');
    press('left', 'space');
    expect(store.getState().marks.size).toBe(0);
  });

  test('give the upload line and each class with u', () => {
    press('u');
    expect(screen()).toContain('nothing is marked');
    press('u', 'down', 'space', 'u');
    expect(screen()).toContain('archiver upload old s3://acme/lab');
    expect(screen()).toMatch(/DEEP_ARCHIVE +\$0\.29 a month, upload \$\d.*, 180 days at least/);
    press('escape');
    expect(store.getState().mode).toBe('list');
  });
});

test('? explains the keys, and q leaves', () => {
  press('?');
  for (const text of ['mark or unmark', 'the upload line', 'by size, age']) expect(screen()).toContain(text);
  press('x', 'q');
  expect(store.getState()).toMatchObject({ mode: 'list', isOver: true });
});
