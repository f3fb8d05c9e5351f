// The promise of docs/format.md: what was uploaded comes back with tar, zstd, gzip, jq and cat. The script is taken out of
// the document, so that document and test cannot drift apart.
import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { describeTree, type Described, isRoot, makeEverything } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { makeFolder, missingTools, onlyUpload, readManifest, uploadJson } from './upload-cli.js';

const missing = missingTools('tar', 'zstd', 'jq', 'gzip', 'base64');
const isGnuTar = spawnSync('tar', ['--version'], { encoding: 'utf8' }).stdout.includes('GNU');
if (missing.length > 0 || !isGnuTar) {
  process.stderr.write(`left out: the recipe of docs/format.md (needs ${missing.join(', ') || 'GNU tar'})\n`);
}
const canRun = missing.length === 0 && isGnuTar && process.platform === 'linux';

/**
 * The first script of the section gets everything back, the second one copies what was stored once for several files, the
 * third one what was uploaded directly.
 */
function recipe(script: number): string {
  const text = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split(/^## Getting everything back.*$/m);
  const found = [...section.matchAll(/```sh\n([\s\S]*?)```/g)][script]?.[1];
  if (found === undefined) throw new Error('docs/format.md has no recipe');
  return found;
}

function extract(upload: string): string {
  runScript(recipe(0), upload);
  return join(upload, 'out');
}

function runScript(script: string, upload: string): void {
  const { status, stderr } = spawnSync('sh', ['-eu', '-c', script], { cwd: upload, encoding: 'utf8' });
  const problems = stderr
    .split('\n')
    .filter((line) => line !== '' && !/implausibly old time stamp|s in the future$/.test(line));
  expect({ status, problems }).toEqual({ status: 0, problems: [] });
}

// Joining the pieces of a cut file touches its folder.
function withoutTimesOf(folders: readonly string[], tree: Record<string, Described>): Record<string, Described> {
  return Object.fromEntries(
    Object.entries(tree).map(([path, entry]) => [path, folders.includes(path) ? { ...entry, time: '' } : entry]),
  );
}

test.skipIf(!canRun).each([
  ['small frames and chunks', ['--frame-size', '64KiB', '--memory-limit', '192MiB']],
  ['one frame a chunk', ['--frame-size', '0', '--memory-limit', '192MiB', '--shard-strategy', 'hash']],
])('T24 T25 T23 everything comes back with tar, zstd, gzip, jq and cat alone: %s', async (_name, flags) => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  makeEverything(source);
  const base = join(home, 'store');

  const { status, document } = await uploadJson(home, [source, `file://${base}`, ...flags]);
  const manifest = readManifest(onlyUpload(base));
  const out = extract(onlyUpload(base));

  const unreadable = isRoot ? [] : ['modes/0', 'modes/1644'];
  expect({ status, skipped: document.skipped.map(({ path }) => path) }).toEqual({
    status: unreadable.length === 0 ? 0 : 3,
    skipped: unreadable,
  });
  expect(manifest.files.filter(({ segments }) => segments !== undefined).length).toBeGreaterThanOrEqual(5);
  const folders = ['cut', 'names', 'sizes'];
  const expected = withoutTimesOf(folders, describeTree(source));
  for (const path of unreadable) delete expected[path];
  expect(withoutTimesOf(folders, describeTree(out))).toEqual(expected);
});

test.skipIf(!canRun)('files that were stored once come back under all their names', async () => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  const names = ['a/one', 'b/two words', 'b/three\\n', 'caf\u00e9', 'line\nend\n'];
  const contents = [
    Buffer.alloc(20_000, 'photo'),
    Buffer.from(Array.from({ length: 9 << 20 }, (_, at) => (at * 7919) >> 5)),
  ];
  for (const [set, content] of contents.entries()) {
    for (const name of names) {
      const path = join(source, String(set), name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }
  chmodSync(join(source, '0/a/one'), 0o640);
  chmodSync(join(source, '1/caf\u00e9'), 0o600);
  const base = join(home, 'store');

  const { document } = await uploadJson(home, [source, `file://${base}`, '--enable-dedup', '--memory-limit', '192MiB']);
  const out = extract(onlyUpload(base));
  runScript(recipe(1), onlyUpload(base));

  expect(document).toMatchObject({ deduplicated: { files: 8 } });
  const folders = ['0', '0/a', '0/b', '1', '1/a', '1/b', '.', ''];
  expect(withoutTimesOf(folders, describeTree(out))).toEqual(withoutTimesOf(folders, describeTree(source)));
});

test.skipIf(!canRun)('files that were uploaded directly come back under all their names', async () => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  mkdirSync(join(source, 'd/sub'), { recursive: true });
  for (const name of ['one', 'd/two words', 'd/sub/three\\n', 'd/Case', 'd/case', 'caf\u00e9', 'line\nend\n', 'empty'])
    writeFileSync(join(source, name), name === 'empty' ? '' : `content of ${name}`);
  chmodSync(join(source, 'd/Case'), 0o640);
  linkSync(join(source, 'one'), join(source, 'd/linked\n'));
  symlinkSync('one', join(source, 'symbolic'));
  const base = join(home, 'store');

  await uploadJson(home, [source, `file://${base}`, '--direct-upload']);
  const out = extract(onlyUpload(base));
  runScript(recipe(2), onlyUpload(base));

  const folders = ['d', 'd/sub'];
  expect(withoutTimesOf(folders, describeTree(out))).toEqual(withoutTimesOf(folders, describeTree(source)));
});
