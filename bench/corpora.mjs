// The two folders that are archived: many small files, and few large ones, both from the machine itself.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LARGE_FILES = 60;
const LARGE_BYTES = 2e9;

/** Makes `<folder>/small` (usr/share and usr/include) and `<folder>/large` (60 different binaries, about 2 GB) once. */
export function makeCorpora(folder) {
  const small = join(folder, 'small');
  const large = join(folder, 'large');
  const done = join(folder, 'complete');
  if (existsSync(done)) return { small, large };
  mkdirSync(small, { recursive: true });
  mkdirSync(large, { recursive: true });
  execFileSync('cp', ['-a', '/usr/share', '/usr/include', small]);
  const files = windowNearest(largeFiles());
  files.forEach(([, path], index) => {
    const name = `${String(index).padStart(2, '0')}-${path.split('/').at(-1)}`;
    cpSync(path, join(large, name), { preserveTimestamps: true, dereference: true });
  });
  writeFileSync(done, `${files.length} large files, ${sum(files)} bytes\n`);
  return { small, large };
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
