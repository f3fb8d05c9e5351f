// A restore that is killed at any of the system calls by which it makes a file, and then run again so that nothing in place is replaced.
// Needs strace (Debian) and the right to trace.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { contents } from './contents.js';
import { installStrace } from './install-strace.js';
import { archiver, uploadJson } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';
import { runTraced } from './traced-run.js';

const FILES = 200;
const CALLS = ['openat', 'pwrite64', 'utimensat', 'close', 'renameat', 'mkdirat', 'unlinkat'];
const CASES = CALLS.flatMap((calls) => [1, 2, 3, 20, 51].map((when) => ({ calls, when: String(when) })));

/** A lock whose writer died before it had written it counts as new for ten seconds. */
const isLock = (name: string): boolean => name.endsWith('-lock');

/** Names of what differs between two folders. */
function differences(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => a[name] !== b[name] && !isLock(name));
}

beforeAll(installStrace, 300_000);

test('whatever it left, the next one makes every file whole', { timeout: 600_000 }, async () => {
  const home = await tempFolder();
  const source = join(home, 'source');
  mkdirSync(join(source, 'deep'), { recursive: true });
  for (let file = 0; file < FILES; file++) writeFileSync(join(source, 'deep', `${file}`), `${file} `.repeat(file * 20));
  writeFileSync(join(source, 'large'), Buffer.alloc(100_000, 'large'));
  const { document } = await uploadJson(home, [source, `file://${join(home, 'store')}`]);

  let killed = 0;
  for (const [position, fault] of CASES.entries()) {
    const out = join(home, `out${position}`);
    const first = await runTraced(home, ['restore', document.location, out, '--all'], { ...fault, error: undefined });
    if (first.signal === 'SIGKILL') killed++;
    const again = await archiver(home, ['restore', document.location, out, '--all', '--overwrite', 'never']);

    const different = differences(contents(out), contents(source));
    expect([fault, first.hung, again.status, different]).toEqual([fault, false, 0, []]);
  }
  expect(killed).toBeGreaterThan(CASES.length / 2);
});
