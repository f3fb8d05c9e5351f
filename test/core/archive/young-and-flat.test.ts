// What an agent leaves out of a version (`min_age`, `recursive: false`) beside hard links, deletions and the guard against an
// unmounted disk.
import { chmodSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { UploadResult } from '../../../src/core/archive/upload-result.js';
import { isArchiverError } from '../../../src/core/platform/failures/errors.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { restoreMade } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';
import { describeTree } from './trees.js';
import { uploadFolder, type UploadRunOptions } from './upload-folder.js';

const HOUR_MS = 3_600_000;
/** All that was just written is young. */
const young = () => ({ filter: { settledBeforeMs: Date.now() - HOUR_MS } });

async function place(names: readonly string[]) {
  const home = await tempFolder();
  const [source, base] = [join(home, 'source'), join(home, 'store')];
  mkdirSync(join(source, 'sub'), { recursive: true });
  for (const name of names) writeFileSync(join(source, name), `content of ${name}`);
  let next = 0;
  const sync = async (options: UploadRunOptions = {}): Promise<UploadResult> => {
    const randomBytes = (): Buffer => Buffer.from([1, 0, 0, ++next]);
    return await uploadFolder(source, base, { changes: { trackDeletes: true }, randomBytes, ...options }).result;
  };
  const restored = async ({ uploadId }: UploadResult): Promise<unknown> => {
    const { out, failed } = await restoreMade({ objects: new Map(), uploadId }, { reader: fileStore(base) });
    expect(failed).toEqual([]);
    return describeTree(out);
  };
  return { source, sync, restored, at: (name: string) => join(source, name) };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `file-${at}`);

test('files that changed lately count as there when most of a folder seems to be gone', async () => {
  const { sync, at } = await place(numbered(30));
  await sync();
  for (const name of numbered(12)) rmSync(at(name));

  const { changes } = await sync(young());
  rmSync(at('file-12'));
  const one = await sync(young());

  expect(changes).toMatchObject({ deleted: 12, modified: 0, unchanged: 0 });
  expect(one.changes).toMatchObject({ deleted: 1 });
});

test('new files that changed lately do not hide that all others are gone', async () => {
  const { sync, at } = await place(numbered(30));
  await sync();
  for (const name of numbered(30)) rmSync(at(name));
  writeFileSync(at('new'), 'x');

  const refused = await sync(young()).catch((error: unknown) => error);

  expect(isArchiverError(refused, 'mass-delete')).toBe(true);
});

test('a hard link that is left as it was keeps its content when the file it was linked to becomes another one', async () => {
  const { source, sync, restored, at } = await place(['a']);
  linkSync(at('a'), at('b'));
  linkSync(at('a'), at('sub/c'));
  await sync();
  rmSync(at('a'));
  writeFileSync(at('a'), 'another content');
  const settledBeforeMs = statSync(at('a')).ctimeMs + 1;
  while (statSync(at('b')).ctimeMs <= settledBeforeMs) chmodSync(at('b'), statSync(at('b')).mode);
  const asRestored = describeTree(source);

  const early = await sync({ filter: { settledBeforeMs } });
  const late = await sync();

  expect(early.changes).toMatchObject({ added: 0, modified: 1, deleted: 0 });
  expect(await restored(early)).toEqual(asRestored);
  expect(await restored(late)).toEqual(asRestored);
});

test('a folder that became a file lately stays as it was', async () => {
  const { source, sync, restored, at } = await place(['a', 'sub/b']);
  const first = await sync();
  rmSync(at('sub'), { recursive: true });
  writeFileSync(at('sub'), 'now a file');

  const early = await sync(young());
  const late = await sync();

  expect(early.changes).toMatchObject({ added: 0, modified: 0, deleted: 0 });
  expect(Object.keys((await restored(early)) as object)).toEqual(Object.keys((await restored(first)) as object));
  expect(await restored(late)).toEqual(describeTree(source));
});

test.each([true, false])(
  'folders that are no longer wanted are gone where that is recorded (%s), and come back whole',
  async (trackDeletes) => {
    const { source, sync, restored } = await place([...numbered(20), ...numbered(5).map((name) => `sub/${name}`)]);
    const changes = { trackDeletes };
    const first = await sync({ changes });
    const whole = await restored(first);

    const flat = await sync({ changes, filter: { isFlat: true } });
    const wide = await sync({ changes });

    const paths = Object.keys((await restored(flat)) as object);
    expect(paths.some((path) => path.startsWith('sub'))).toBe(!trackDeletes);
    expect(flat.changes).toMatchObject({ deleted: trackDeletes ? 5 : 0, modified: 0, noChanges: !trackDeletes });
    expect(wide.changes).toMatchObject({ added: trackDeletes ? 5 : 0, noChanges: !trackDeletes });
    expect(await restored(wide)).toEqual(whole);
    expect(await restored(wide)).toEqual(describeTree(source));
  },
);
