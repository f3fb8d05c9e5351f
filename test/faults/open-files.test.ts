// Limits of open files (`ulimit -n`), as a shell sets them.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FEWEST_OPEN_FILES, parseOpenFiles, threadsWithin } from '../../src/core/platform/limits/open-files.js';
import { CLI, type UploadDocument } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function within(limit: number, home: string, args: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ARCHIVER_HOME: join(home, '.archiver') };
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', `ulimit -n ${limit} && exec "$@"`, 'bash', process.execPath, CLI, ...args],
      { env, timeout: 150_000, killSignal: 'SIGKILL' },
      (_, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

describe.runIf(process.platform === 'linux')('ulimit -n', () => {
  test('32 is told in one sentence that names it', async () => {
    const home = await tempFolder();

    expect(await within(32, home, ['upload', home, `file://${home}/store`])).toEqual({
      status: 1,
      stdout: '',
      stderr: `✗ no more than 32 files may be open at once here, and archiver needs ${FEWEST_OPEN_FILES}\n  fix   raise the limit (ulimit -n 1024)\n`,
    });
  });

  test('the least that is enough, is enough for an upload, a sync, a restore and a deep check', async () => {
    const home = await tempFolder();
    const source = join(home, 'source');
    for (let folder = 0; folder < 50; folder++) {
      mkdirSync(join(source, `folder${folder}`), { recursive: true });
      for (let file = 0; file < 5; file++) writeFileSync(join(source, `folder${folder}`, `${file}`), `${file}`);
    }
    const store = `file://${home}/store`;

    const uploaded = await within(FEWEST_OPEN_FILES, home, ['upload', source, store, '--json']);
    const synced = await within(FEWEST_OPEN_FILES, home, ['sync', source, store]);
    const { location } = JSON.parse(uploaded.stdout) as UploadDocument;
    const restored = await within(FEWEST_OPEN_FILES, home, ['restore', location, join(home, 'out'), '--all']);
    const verified = await within(FEWEST_OPEN_FILES, home, ['verify', location, '--deep']);

    expect([uploaded, synced, restored, verified].map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(join(home, 'out', 'folder49', '4'), 'utf8')).toBe('4');
  });
});

test('threads are as many as may have files open, and never none', () => {
  expect([1, 128, 160, 256, 1024, Number.POSITIVE_INFINITY].map((limit) => threadsWithin(64, limit))).toEqual([
    1, 2, 6, 18, 64, 64,
  ]);
});

test('reads the limit that Linux tells', () => {
  const line = (limit: string): string =>
    `Max processes  7 7 processes\nMax open files            ${limit}  4096   files\n`;
  expect([line('1024'), line('unlimited'), 'nothing'].map(parseOpenFiles)).toEqual([
    1024,
    Number.POSITIVE_INFINITY,
    undefined,
  ]);
});
