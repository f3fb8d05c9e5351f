// The trees that are kept: many small files and few large ones, both from the machine itself unless a folder is named, and a million tiny ones.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeMillion } from './million.mjs';

const LARGE_FILES = 60;
const LARGE_BYTES = 2e9;

/**
 * A corpus: `tree` is the folder that holds it, made in `folder` once unless it was `named`; `fill` puts one like it where nothing is, and `said`
 * is how large it is. The million has no tree of its own: with two more beside it a file system in memory has no inodes left.
 */
export function corpusOf(name, folder, { named, files }) {
  if (name === 'million')
    return { fill: (target) => makeMillion(target, files), said: `${files} files below 1.1 KB in folders of 1,000` };
  const tree = named[name] === undefined ? join(folder, name) : resolve(named[name]);
  if (named[name] === undefined) makeOnce(name, tree);
  return { tree, fill: (target) => execFileSync('cp', ['-a', tree, target]), said: describeTree(tree) };
}

function makeOnce(name, tree) {
  const done = `${tree}.complete`;
  if (existsSync(done)) return;
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  if (name === 'small') execFileSync('cp', ['-a', '/usr/share', '/usr/include', tree]);
  else copyLargeFiles(tree);
  writeFileSync(done, '');
}

function describeTree(tree) {
  const count = `find "$0" -type f -printf '%s\\n' | awk '{n += $1} END {printf "%d files, %.0f MiB", NR, n / 1048576}'`;
  return execFileSync('bash', ['-c', count, tree], { encoding: 'utf8' });
}

function copyLargeFiles(tree) {
  windowNearest(largeFiles()).forEach(([, path], index) => {
    const name = `${String(index).padStart(2, '0')}-${path.split('/').at(-1)}`;
    cpSync(path, join(tree, name), { preserveTimestamps: true, dereference: true });
  });
}

const sum = (files) => files.reduce((total, [size]) => total + size, 0);

/** The 60 files next to each other in size that come nearest to 2 GB together. */
function windowNearest(files) {
  const windows = files.map((_, start) => files.slice(start, start + LARGE_FILES));
  const far = (window) => Math.abs(sum(window) - LARGE_BYTES);
  return windows.filter((window) => window.length === LARGE_FILES).sort((a, b) => far(a) - far(b))[0] ?? files;
}

function largeFiles() {
  const roots = ['/usr/bin', '/usr/lib', '/usr/local', '/opt', '/root', '/home'].filter((root) => existsSync(root));
  const listed = execFileSync('find', [...roots, '-xdev', '-type', 'f', '-size', '+8M', '-printf', '%s %p\\n'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const seen = new Set();
  return listed
    .trim()
    .split('\n')
    .map((line) => [Number(line.slice(0, line.indexOf(' '))), line.slice(line.indexOf(' ') + 1)])
    .sort((a, b) => b[0] - a[0])
    .filter(([size]) => !seen.has(size) && seen.add(size)); // the same size is most likely the same file again
}
