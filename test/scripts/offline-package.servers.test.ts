// The packages for computers without a network, installed as docs/operations.md says and run where there is none.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingTools } from '../e2e/upload-cli.js';

/** It packs twice, half a minute of CPU time. */
const TIMEOUT_MS = 600_000;

const work = mkdtempSync(join(tmpdir(), 'archiver-test-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const run = (program: string, ...args: readonly string[]): string => execFileSync(program, args, { encoding: 'utf8' });
const packages = join(work, 'packages');
const only = (end: string): string =>
  join(packages, readdirSync(packages).find((name) => name.endsWith(end)) ?? `no ${end}`);

/** Uploads and restores with this program, alone with its node, where no network is; returns what it says on stderr of the upload. */
function archiveWithout(program: string): string {
  const home = mkdtempSync(join(work, 'home-'));
  mkdirSync(join(home, 'data/below'), { recursive: true });
  for (const [at, path] of ['a', 'below/b'].entries())
    writeFileSync(join(home, 'data', path), path.repeat(10_000 + at));
  const lines = `cd "$HOME"
    ! getent hosts registry.npmjs.org
    "$1" --version
    "$1" upload data ./store --json 2>said >document
    "$1" verify ./store --deep --quiet
    "$1" restore ./store out --all --quiet
    diff -r data out
    cat said`;
  const path = `PATH=${dirname(process.execPath)}:/usr/bin:/bin`;
  return run('unshare', '-rn', 'env', '-i', path, `HOME=${home}`, 'sh', '-euc', lines, 'sh', program);
}

const missing = missingTools('unshare', 'fakeroot', 'dpkg', 'dpkg-deb', 'xz');
const isAlone = missing.length === 0 && isAllowed();
if (!isAlone) process.stderr.write(`left out: packages for no network (${missing.join(', ') || 'unshare -rn'})\n`);

function isAllowed(): boolean {
  try {
    run('unshare', '-rn', 'true');
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!isAlone)('a package for computers without a network', () => {
  beforeAll(() => void run('bash', 'scripts/offline-package.sh', packages), TIMEOUT_MS);

  it('unpacked and linked, archives and restores with its compiled parts', { timeout: TIMEOUT_MS }, () => {
    const opt = join(work, 'opt');
    mkdirSync(opt);
    run('tar', 'xJf', only('.tar.xz'), '-C', opt);
    const [folder = ''] = readdirSync(opt);
    symlinkSync(join(opt, folder, 'bin/archiver'), join(work, 'archiver'));

    const said = archiveWithout(join(work, 'archiver'));

    expect(said).toMatch(/^archiver \d+\.\d+\.\d+\n/);
    expect(said).not.toMatch(/slower|not available|WebAssembly/);
    expect(readdirSync(join(opt, folder, 'share/man/man1')).length).toBeGreaterThan(80);
  });

  it('is a Debian package that dpkg installs and removes', { timeout: TIMEOUT_MS }, () => {
    const root = join(work, 'root');
    mkdirSync(join(root, 'var/lib/dpkg'), { recursive: true });
    writeFileSync(join(root, 'var/lib/dpkg/status'), '');
    // There is no node in this root, but one beside it.
    const dpkg = (...args: readonly string[]): string =>
      run('fakeroot', 'dpkg', `--root=${root}`, '--force-depends', ...args);
    expect(run('dpkg-deb', '-f', only('.deb'), 'Depends')).toBe('nodejs (>= 20.12)\n');

    dpkg('-i', only('.deb'));

    expect(archiveWithout(join(root, 'usr/bin/archiver'))).not.toMatch(/slower|not available|WebAssembly/);
    for (const path of ['bash-completion/completions/archiver', 'man/man1/archiver.1.gz', 'doc/archiver/copyright'])
      expect(dpkg('-L', 'archiver')).toContain(`/usr/share/${path}\n`);
    run('bash', '-n', join(root, 'usr/share/bash-completion/completions/archiver'));
    dpkg('-r', 'archiver');
    expect(readdirSync(root, { recursive: true }).filter((path) => String(path).startsWith('usr'))).toEqual([]);
  });
});
