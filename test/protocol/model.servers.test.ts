import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/model.mjs', import.meta.url));
const protocol = fileURLToPath(new URL('../../docs/protocol', import.meta.url));
/** Two minutes of a core, and ten times as long beside other work. */
const WHOLE_MS = 1_500_000;

function model(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
  return { status, stdout, stderr, last: stdout.trim().split('\n').at(-1) };
}

describe('npm run model', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archiver-model-test-'));
    await cp(protocol, folder, { recursive: true });
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function edit(file: string, from: string, to: string): Promise<void> {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(from);
    await writeFile(path, text.replaceAll(from, to));
  }

  it(
    'holds in every scenario, fails for every rule left out, and the page about it names them all',
    async () => {
      const { status, stdout, last } = model([]);
      const page = await readFile(join(protocol, 'README.md'), 'utf8');
      const names = stdout.match(/^[A-Z_]+(?: \/ [A-Z_]+)?(?= )/gm) ?? [];

      expect(stdout).not.toContain('FAILED');
      expect(last).toBe(`${names.length} passed, 0 failed`);
      expect(status).toBe(0);
      expect(names.length).toBeGreaterThan(85);
      for (const name of names) expect(page).toContain(`\`${name.split(' / ').at(-1)}\``);
    },
    WHOLE_MS,
  );

  it(
    'says that a scenario fails when a rule is missing from the model itself',
    async () => {
      await edit('cleanup.pml', '#ifdef CLEANUP_DELETES', '#if 1');

      const { status, stdout, last } = model(['CLEANUP', '--folder', folder]);

      expect(stdout).toMatch(/^CLEANUP .*FAILED: .*assertion violated/m);
      expect(last).toBe('1 passed, 1 failed');
      expect(status).toBe(1);
    },
    WHOLE_MS,
  );

  it(
    'says that plain stores lose versions when a prune takes no notice of fences in the model itself',
    async () => {
      await edit('plain-prune.pml', '&& !defined(COUNT_FENCED)', '&& 0');

      const { status, stdout } = model(['PLAIN_PRUNES', '--folder', folder]);

      expect(stdout).toMatch(/^PLAIN_PRUNES .*FAILED: .*assertion violated \(n_!=0\)/m);
      expect(status).toBe(1);
    },
    WHOLE_MS,
  );

  it(
    'says so when a rule can be left out and nothing breaks',
    async () => {
      await edit('cleanup.pml', '#ifdef CLEANUP_DELETES', '#if 0');

      const { status, stdout, last } = model(['CLEANUP', '--folder', folder]);

      expect(stdout).toMatch(/^CLEANUP \/ CLEANUP_DELETES .*FAILED: the rule can be left out and nothing breaks/m);
      expect(last).toBe('1 passed, 1 failed');
      expect(status).toBe(1);
    },
    WHOLE_MS,
  );

  it('says in one sentence what to install where spin is missing', () => {
    const { status, stdout, stderr } = model([], { ...process.env, PATH: folder });

    expect(stderr).toBe(
      'spin and cc not found; install with: apt-get install spin gcc libc6-dev (Debian), brew install spin (macOS)\n',
    );
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });
});
