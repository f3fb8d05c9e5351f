// Attributes that give a program rights of its own come back only when asked for. Sets real ones, so it needs root.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLibc } from '../../src/core/platform/libc/libc.js';
import { archiver, uploadJson } from './in-process.js';
import { makeFolder, missingTools, onlyUpload } from './upload-cli.js';
import { raw } from '../support/raw.js';

// Version 2 of the kernel's record: cap_net_raw, permitted and effective.
const CAPABILITY = Buffer.from('0100000200200000000000000000000000000000', 'hex');
const ACL = Buffer.from(
  ['02000000', '01000600ffffffff', '02000400e8030000', '04000400ffffffff', '10000600ffffffff', '20000400ffffffff'].join(
    '',
  ),
  'hex',
);
const NOTE =
  /! (\d+) security attributes were not restored; archiver restore --keep-special-bits --overwrite always restores them\n/;

const libc = loadLibc();
const isRoot = process.geteuid?.() === 0;
let folder = '';
let home = '';
let url = '';

const names = (path: string): string[] => [...(libc?.llistxattr(raw(path)) ?? [])].sort();

beforeAll(async () => {
  if (!isRoot || libc === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  home = makeFolder(folder, 'home');
  const source = makeFolder(folder, 'source');
  makeFolder(source, 'sub');
  for (const [name, owner] of [
    ['mine', 0],
    ['theirs', 1000],
  ] as const) {
    writeFileSync(join(source, name), `a program of ${name}`, { mode: 0o755 });
    chownSync(join(source, name), owner, owner);
    if (missingTools('setcap').length === 0) execFileSync('setcap', ['cap_net_raw+ep', join(source, name)]);
    else libc.lsetxattr(raw(join(source, name)), raw('security.capability'), CAPABILITY);
    libc.lsetxattr(raw(join(source, name)), raw('user.note'), Buffer.from('kept'));
  }
  writeFileSync(join(source, 'shared'), 'for some');
  libc.lsetxattr(raw(join(source, 'shared')), raw('system.posix_acl_access'), ACL);
  libc.lsetxattr(raw(join(source, 'sub')), raw('trusted.of'), Buffer.from('folder'));
  symlinkSync('mine', join(source, 'link'));
  libc.lsetxattr(raw(join(source, 'link')), raw('trusted.of'), Buffer.from('link'));
  const base = `file://${join(folder, 'store')}`;
  await uploadJson(home, [source, base]);
  url = `${base}/uploads/${onlyUpload(join(folder, 'store')).split('/').at(-1) ?? ''}`;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!isRoot || libc === undefined)('security attributes', () => {
  it('stay away, and it is said once how many and what restores them', async () => {
    const out = join(folder, 'plain');
    const { status, stderr } = await archiver(home, ['restore', url, out, '--all', '--progress-format', 'text']);

    expect(status).toBe(0);
    expect(stderr.match(new RegExp(NOTE, 'g'))).toHaveLength(1);
    expect(NOTE.exec(stderr)?.[1]).toBe('4');
    expect([names(join(out, 'mine')), names(join(out, 'theirs'))]).toEqual([['user.note'], ['user.note']]);
    expect(names(join(out, 'shared'))).toEqual(['system.posix_acl_access']);
    expect([names(join(out, 'sub')), names(join(out, 'link'))]).toEqual([[], []]);
  });

  it('come back with --keep-special-bits, also on a file of somebody else', async () => {
    const out = join(folder, 'special');
    const { status, stderr } = await archiver(home, ['restore', url, out, '--all', '--keep-special-bits', '--quiet']);

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const armed = ['security.capability', 'user.note'];
    expect([names(join(out, 'mine')), names(join(out, 'theirs'))]).toEqual([armed, armed]);
    expect(statSync(join(out, 'theirs')).uid).toBe(1000);
    expect([names(join(out, 'sub')), names(join(out, 'link'))]).toEqual([['trusted.of'], ['trusted.of']]);
  });

  it('stay away from what the shell gets, and it says so', async () => {
    const out = makeFolder(folder, 'got');
    const { status, stderr } = await archiver(home, ['shell', url, '--command', `get mine ${out}/`]);

    expect(status).toBe(0);
    expect(stderr).toBe(
      '! 1 security attribute was not restored; archiver restore --keep-special-bits --overwrite always restores it\n',
    );
    expect(names(join(out, 'mine'))).toEqual(['user.note']);
  });

  it('stay away from a download, and nothing is said where there are none', async () => {
    const out = join(folder, 'downloaded');
    const { status, stderr } = await archiver(home, ['download', url, out, '--files', 'shared,theirs', '--quiet']);
    const none = await archiver(home, ['restore', url, join(folder, 'one'), '--file', 'shared', '--quiet']);

    expect(status).toBe(0);
    expect(stderr).toContain('! 1 security attribute was not restored');
    expect(names(join(out, 'theirs'))).toEqual(['user.note']);
    expect(none).toMatchObject({ status: 0, stderr: '' });
  });
});
