// Access control lists, there and back by tars that nobody here wrote. Sets real ones, so it needs root and a file system that has them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { libcOrFail } from '../core/archive/trees.js';
import { raw } from '../support/raw.js';
import { archiver, uploadJson } from './in-process.js';
import { missingTools, onlyUpload } from './upload-cli.js';

const ACCESS = 'system.posix_acl_access';
const DEFAULT = 'system.posix_acl_default';
// u::rw-, u:1:r--, u:4321:rw-, g::---, g:9999:--x, m::rwx, o::r--
const LIST = Buffer.from(
  ['02000000', '01000600ffffffff', '0200040001000000', '02000600e1100000', '04000000ffffffff', '080001000f270000']
    .concat(['10000700ffffffff', '20000400ffffffff'])
    .join(''),
  'hex',
);
const PATHS = ['folder', 'folder/plain', 'listed'];

const home = mkdtempSync(join(tmpdir(), 'archiver-test-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const source = join(home, 'source');
const isPossible = ((): boolean => {
  if (process.geteuid?.() !== 0) return false;
  mkdirSync(join(source, 'folder'), { recursive: true });
  for (const path of PATHS.slice(1)) writeFileSync(join(source, path), path, { mode: 0o640 });
  try {
    libcOrFail().lsetxattr(raw(join(source, 'listed')), raw(ACCESS), LIST);
    libcOrFail().lsetxattr(raw(join(source, 'folder')), raw(DEFAULT), LIST);
    return true;
  } catch {
    return false;
  }
})();
const readers = [
  { name: 'tar', format: 'posix' },
  { name: 'bsdtar', format: 'pax' },
];
const missing = missingTools('zstd', ...readers.map(({ name }) => name));
if (!isPossible) process.stderr.write('left out: access control lists (they cannot be set here)\n');
else if (missing.length > 0)
  process.stderr.write(`left out: access control lists and ${missing.join(', ')} (missing)\n`);

/** Lists and modes of what is in a folder. */
const listsOf = (folder: string): unknown =>
  PATHS.map((path) => {
    const at = raw(join(folder, path));
    const libc = libcOrFail();
    const lists = libc.llistxattr(at).filter((name) => [ACCESS, DEFAULT].includes(name));
    const values = lists.sort().map((name) => `${name} ${libc.lgetxattr(at, name).toString('hex')}`);
    return [path, (statSync(join(folder, path)).mode & 0o7777).toString(8), values];
  });

describe.skipIf(!isPossible)('access control lists', () => {
  test.each(readers.filter(({ name }) => !missing.includes(name)))(
    '$name --acls gives back those of a chunk, and none to what had none',
    async ({ name }) => {
      const store = join(home, `of-${name}`);
      await uploadJson(home, [source, `file://${store}`]);
      const upload = onlyUpload(store);
      const out = join(home, `out-${name}`);
      mkdirSync(out);

      for (const chunk of readdirSync(upload, { recursive: true })
        .map(String)
        .filter((key) => key.endsWith('.zst'))) {
        const tar = execFileSync('zstd', ['-dcq', join(upload, chunk)], { maxBuffer: 2 ** 26 });
        execFileSync(name, ['--acls', '-xpf', '-'], { cwd: out, input: tar, stdio: ['pipe', 'pipe', 'inherit'] });
      }

      expect(listsOf(out)).toEqual(listsOf(source));
      expect(JSON.stringify(listsOf(out))).toContain(LIST.toString('hex'));
    },
  );

  test.each(readers.filter(({ name }) => !missing.includes(name)))(
    'what $name --acls wrote is migrated with them',
    async ({ name, format }) => {
      const archive = join(home, `${name}.tar`);
      execFileSync(name, ['--acls', `--format=${format}`, '-cf', archive, '-C', source, '.']);

      const migrated = await archiver(home, ['migrate', archive, `file://${home}/m-${name}`, '--json', '--quiet']);
      const document = JSON.parse(migrated.stdout) as { location: string; notKept: string[] };
      const out = join(home, `back-${name}`);
      const restored = await archiver(home, ['restore', document.location, out, '--all', '--quiet']);

      expect([migrated.status, document.notKept, restored.status]).toEqual([0, [], 0]);
      expect(listsOf(out)).toEqual(listsOf(source));
    },
  );
});
