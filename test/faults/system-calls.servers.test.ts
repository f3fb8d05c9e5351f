/* eslint-disable vitest/no-conditional-expect -- what is reported decides what must be there */
// Every class of system call that the program makes on files, failing from its first or third time on in each thread, in
// the ways in which disks and limits fail. Needs strace (Debian) and the right to trace. What Node itself cannot survive
// (a failing `close` while it loads a module, `read` and `write` of its own pipes) is not asked for.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { archiver, uploadJson } from '../e2e/upload-cli.js';
import { byTurns } from '../support/by-turns.js';
import { tempFolder } from '../support/temp-folder.js';
import { contents } from './contents.js';
import { installStrace } from './install-strace.js';
import { runTraced } from './traced-run.js';

/** The calls that can find no room. */
const WRITING = [
  'fsync,fdatasync',
  'pwrite64',
  'link,linkat',
  'rename,renameat,renameat2',
  'mkdir,mkdirat',
  'ftruncate',
] as const;
const CALLS = [
  ...WRITING,
  'openat,openat2',
  'pread64',
  'unlink,unlinkat',
  'statx,newfstatat',
  'getdents64',
  'utimensat',
  'flistxattr,fgetxattr,fsetxattr,llistxattr,lgetxattr',
] as const;
const CASES = [
  ...CALLS.flatMap((calls) => ['1+', '3+'].map((when) => ({ calls, error: 'EIO', when }))),
  ...WRITING.map((calls) => ({ calls, error: 'ENOSPC', when: '3+' })),
  { calls: 'openat,openat2', error: 'EMFILE', when: '3+' },
];

beforeAll(installStrace, 300_000);

function fill(source: string): void {
  mkdirSync(join(source, 'folder'), { recursive: true });
  for (let file = 0; file < 20; file++) writeFileSync(join(source, 'folder', `${file}`), `${file} `.repeat(file * 500));
  writeFileSync(join(source, 'large'), Buffer.alloc(3_000_000, 7));
}

type Ended = Awaited<ReturnType<typeof runTraced>>;

/** Ended by itself, with a status that means something and words for people. */
function expectGoodEnd({ status, hung, stderr, stdout }: Ended): void {
  expect({ hung, stack: /^\s+at .+:\d+/m.exec(stderr)?.[0] }).toEqual({ hung: false, stack: undefined });
  expect([0, 1, 2, 3]).toContain(status);
  // 2: the config file cannot be read
  if (status !== 0) expect((stderr + stdout).trim()).not.toBe('');
}

describe.each(byTurns(CASES, 4))('$calls fail with $error ($when)', (fault) => {
  test('an upload and a sync end, and what they report, and was there before, is whole', async () => {
    const home = await tempFolder();
    const source = join(home, 'source');
    const store = `file://${join(home, 'store')}`;
    fill(source);
    const before = join(home, 'before');
    cpSync(source, before, { recursive: true });
    const { document } = await uploadJson(home, [source, store]);
    writeFileSync(join(source, 'new'), 'new');

    for (const command of ['sync', 'upload']) {
      const ended = await runTraced(home, [command, source, store, '--json'], fault);
      expectGoodEnd(ended);
      const restoreAll = (location: string, out: string) =>
        archiver(home, ['restore', location, join(home, out), '--all']);
      if (ended.status === 0 && ended.stdout.includes('"location"')) {
        const { location } = JSON.parse(ended.stdout) as { location: string };
        expect(await restoreAll(location, command)).toMatchObject({ status: 0 });
        expect(contents(join(home, command))).toEqual(contents(source));
      }
      expect(await restoreAll(document.location, `first-${command}`)).toMatchObject({ status: 0 });
      expect(contents(join(home, `first-${command}`))).toEqual(contents(before));
    }
  }, 400_000);

  test('a restore and a deep check end, and what they report is true', async () => {
    const home = await tempFolder();
    const source = join(home, 'source');
    fill(source);
    const { document } = await uploadJson(home, [source, `file://${join(home, 'store')}`]);
    const out = join(home, 'out');

    const restored = await runTraced(home, ['restore', document.location, out, '--all'], fault);
    expectGoodEnd(restored);
    expect(contents(restored.status === 0 ? out : source)).toEqual(contents(source));
    expectGoodEnd(await runTraced(home, ['verify', document.location, '--deep'], fault));
  }, 200_000);
});
