// npm run demo: archives a real folder into a folder store, asks the archive about it, gets it back and compares.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareTrees } from './compare-trees.mjs';
import { installAndBuild } from './install.mjs';

installAndBuild();

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'archiver-demo-'));
const store = `file://${join(work, 'store')}`;
const source = join(root, 'node_modules');
const output = join(work, 'restored');
const env = { ...process.env, ARCHIVER_HOME: join(work, 'home') };

function archiver(args, { capture = false } = {}) {
  console.log(`\n$ archiver ${args.join(' ')}`);
  const result = spawnSync(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    env,
    cwd: work,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (result.status !== 0) throw new Error(`archiver ${args[0]} ended with status ${result.status}: ${result.stdout}`);
  if (!capture) process.stdout.write(result.stdout);
  return result.stdout;
}

try {
  const upload = JSON.parse(archiver(['upload', source, store, '--json', '--quiet'], { capture: true }));
  console.log(
    `${upload.files} files, ${upload.bytes} bytes stored as ${upload.storedBytes} in ${upload.chunks} chunks`,
  );
  archiver(['info', upload.location]);
  const listing = archiver(['list', upload.location, '--pattern', '**/LICENSE'], { capture: true });
  console.log(listing.split('\n').slice(0, 5).join('\n'));
  archiver(['verify', upload.location, '--deep']);
  archiver(['restore', upload.location, output, '--all', '--quiet']);
  const { paths, differences } = compareTrees(source, output);
  if (differences.length > 0) throw new Error(`the restored folder differs: ${differences.slice(0, 5).join('; ')}`);
  console.log(`\ncompared ${paths} paths (type, size, content, mode, mtime, owner, link target): no difference`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
