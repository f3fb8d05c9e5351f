import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareOuts } from '../../../../src/core/projects/dvc/compare-outs.js';
import { ignoredBelow } from '../../../../src/core/projects/dvc/stage-files.js';
import type { StagePath } from '../../../../src/core/projects/dvc/stage-types.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { NEVER } from './pipeline-of.js';

const md5 = (content: string | Buffer): string => createHash('md5').update(content).digest('hex');
const listMd5 = (files: Readonly<Record<string, string>>): string =>
  `${md5(
    `[${Object.entries(files)
      .map(([path, digest]) => `{"md5": "${digest}", "relpath": "${path}"}`)
      .join(', ')}]`,
  )}.dir`;

/** Compares outputs with a version of these files, which lie in a folder; one without content is a folder. */
async function compared(
  outs: readonly StagePath[],
  files: Readonly<Record<string, string | undefined>>,
  local = files,
) {
  const folder = await tempFolder();
  for (const [path, content] of Object.entries(local)) {
    mkdirSync(join(folder, path, content === undefined ? '.' : '..'), { recursive: true });
    if (content !== undefined) writeFileSync(join(folder, path), content, 'latin1');
  }
  const entries = Object.entries(files).map(([path, content]) => {
    const bytes = Buffer.from(content ?? '', 'latin1');
    const type = content === undefined ? 'directory' : path.endsWith('.link') ? 'symlink' : 'file';
    return { path: rawFromText(path), type, size: bytes.length, md5: type === 'file' ? md5(bytes) : undefined };
  });
  async function* batches() {
    yield await Promise.resolve(entries as unknown as readonly Entry[]);
  }
  const source = rawFromText(folder);
  const stages = [{ name: 's', command: '', deps: [], outs, params: {} }];
  const found = await compareOuts({
    stages,
    entries: batches(),
    source,
    isIgnored: ignoredBelow(source),
    signal: NEVER,
  });
  return found.map(({ path, change }) => [path, change]);
}

test('what is not there or differs is named, what nobody hashed is not', async () => {
  const files = { a: 'a', b: 'b', d: undefined, 'd/x': 'x', 'd/y': 'y', e: undefined, 'l.link': '', free: '' };
  const dir = listMd5({ x: md5('x'), y: md5('y') });

  expect(
    await compared(
      [
        { path: 'a', md5: md5('a') },
        { path: 'b', md5: md5('a') },
        { path: 'd', md5: dir },
        { path: 'e', md5: `${md5('[]')}.dir`, size: 0, nfiles: 0 },
        { path: 'l.link', md5: md5('') },
        { path: 'free' },
        { path: 'gone' },
        { path: '../outside' },
        { path: 's3://bucket/key' },
      ],
      files,
    ),
  ).toEqual([
    ['b', 'modified'],
    ['l.link', 'unknown'],
    ['gone', 'missing'],
  ]);
  expect(await compared([{ path: 'd', md5: dir }], { ...files, 'd/x': 'z' })).toEqual([['d', 'modified']]);
  expect(await compared([{ path: 'a', md5: dir }], files)).toEqual([['a', 'modified']]);
});

test('what .dvcignore names in a folder does not count', async () => {
  const files = {
    '.dvcignore': '*.tmp\n',
    d: undefined,
    'd/a.tmp': 'a',
    'd/x': 'x',
    'd/.git': undefined,
    'd/.git/x': 't',
  };

  expect(await compared([{ path: 'd', md5: listMd5({ x: md5('x') }) }], files)).toEqual([]);
});

test('an MD5 of DVC 2 is one of text with Unix line ends, and of other content as it is', async () => {
  const hash = 'md5-dos2unix';
  const text = 'one\r\ntwo\r\n';
  const binary = '\0\r\n';
  const mixed = `${'\u00e9'.repeat(31)}${'e'.repeat(69)}\r\n`;
  const files = { text, binary, mixed, d: undefined, 'd/b': binary, 'd/t': text };
  const outs = (t: string): readonly StagePath[] => [
    { path: 'text', hash, md5: md5(t) },
    { path: 'binary', hash, md5: md5(binary) },
    { path: 'mixed', hash, md5: md5(Buffer.from(mixed, 'latin1')) },
    { path: 'd', hash, md5: listMd5({ b: md5(binary), t: md5(t) }) },
  ];

  expect(await compared(outs('one\ntwo\n'), files)).toEqual([]);
  expect(await compared(outs('one\ntwo\n!'), files)).toEqual([
    ['text', 'modified'],
    ['d', 'modified'],
  ]);
  expect(await compared(outs('one\ntwo\n').slice(0, 1), files, { text: 'another' })).toEqual([['text', 'unknown']]);
  expect(await compared(outs('one\ntwo\n').slice(0, 1), files, {})).toEqual([['text', 'unknown']]);
  // Only DVC 3 says of an MD5 that it is one of the bytes.
  expect(await compared([{ path: 'text', md5: md5('one\ntwo\n') }], files)).toEqual([['text', 'modified']]);
});

test('as DVC 2 does, a line end that its pieces of 1 MiB cut in two stays', async () => {
  const cut = `${'x'.repeat(1024 * 1024 - 1)}\r\n\r\n`;
  const dvc2 = `${'x'.repeat(1024 * 1024 - 1)}\r\n\n`;

  expect(await compared([{ path: 'cut', hash: 'md5-dos2unix', md5: md5(dvc2) }], { cut })).toEqual([]);
});
