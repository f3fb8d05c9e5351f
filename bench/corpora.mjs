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
  const sizes = new Set();
  let total = 0;
  let count = 0;
  for (const [size, path] of largeFiles()) {
    // The same size is most likely the same file under another name.
    if (sizes.has(size) || total + size > LARGE_BYTES) continue;
    sizes.add(size);
    total += size;
    cpSync(path, join(large, `${String(count).padStart(2, '0')}-${path.split('/').at(-1)}`), {
      preserveTimestamps: true,
    });
    if (++count === LARGE_FILES) break;
  }
  writeFileSync(done, `${count} large files, ${total} bytes\n`);
  return { small, large };
}

function largeFiles() {
  const roots = ['/usr/bin', '/usr/lib', '/usr/local', '/opt', '/root', '/home'].filter((root) => existsSync(root));
  const listed = execFileSync('find', [...roots, '-xdev', '-type', 'f', '-size', '+8M', '-printf', '%s %p\\n'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return listed
    .trim()
    .split('\n')
    .map((line) => [Number(line.slice(0, line.indexOf(' '))), line.slice(line.indexOf(' ') + 1)])
    .sort((a, b) => b[0] - a[0]);
}
