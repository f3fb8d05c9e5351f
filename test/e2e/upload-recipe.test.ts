// The promise of docs/format.md: what was uploaded comes back with tar, zstd, gzip, jq and cat. The script is taken out of
// the document, so that document and test cannot drift apart.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

function recipe(): string {
  const text = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split(/^## Getting everything back.*$/m);
  const script = /```sh\n([\s\S]*?)```/.exec(section)?.[1];
  if (script === undefined) throw new Error('docs/format.md has no recipe');
  return script;
}

function extract(upload: string): string {
  const { status, stderr } = spawnSync('sh', ['-eu', '-c', recipe()], { cwd: upload, encoding: 'utf8' });
  const problems = stderr
    .split('\n')
    .filter((line) => line !== '' && !/implausibly old time stamp|s in the future$/.test(line));
  expect({ status, problems }).toEqual({ status: 0, problems: [] });
  return join(upload, 'out');
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
