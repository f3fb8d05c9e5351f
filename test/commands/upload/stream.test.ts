import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { type CommandHost, type CommandRun, json, runCommand } from '../../support/run-command.js';
import { hasRecipeTools, recipe, runScript } from '../../support/format-recipe.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
/** The least memory: pieces of 4 MiB. */
const SMALL = ['--memory-limit', '192MiB'];
const PIECE = 4 * 2 ** 20;
let folder = '';

const run = (argv: readonly string[], host: Partial<CommandHost> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, ...host }, argv);
const stored = (): string[] =>
  existsSync(join(folder, './s'))
    ? readdirSync(join(folder, './s'), { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map(({ name }) => name)
        .toSorted()
    : [];
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');
const sha = (path: string): string =>
  createHash('sha256')
    .update(readFileSync(join(folder, path)))
    .digest('hex');

beforeEach(async () => {
  folder = await tempFolder();
});

describe('a stream of several pieces', () => {
  let location = '';

  beforeEach(async () => {
    writeFileSync(join(folder, 'big'), randomBytes(2.5 * PIECE));
    const made = await run([
      'upload',
      '-',
      './s',
      '--name',
      'dumps/db',
      '--stdin-command',
      'cat big',
      '--json',
      '-q',
      ...SMALL,
    ]);
    location = String(json(made.stdout)['location']);
  });

  it('comes back as it was, with the mode of a plain file and the time at which it ended', async () => {
    const before = Date.now();
    const restored = await run(['restore', './s', 'out', '--all', '-q']);

    const { mode, mtimeMs } = statSync(join(folder, 'out/dumps/db'));
    expect([restored.status, sha('out/dumps/db'), mode & 0o777]).toEqual([0, sha('big'), 0o644]);
    expect(Math.abs(before - mtimeMs)).toBeLessThan(20_000);
  });

  it.runIf(hasRecipeTools)(
    'has its MD5, size and pieces in the manifest, and members that say where they belong',
    () => {
      const at = location.slice('file://'.length);
      const manifest = JSON.parse(
        execFileSync('gzip', ['-dc', join(at, 'manifest.json.gz')], { encoding: 'utf8' }),
      ) as {
        files: Record<string, unknown>[];
        chunks: { key: string }[];
      };
      const names = manifest.chunks.map(({ key }) =>
        execFileSync('sh', ['-c', `zstd -dcq ${key} | tar -t -f - 2>/dev/null`], { cwd: at, encoding: 'utf8' }),
      );

      expect(manifest.files).toEqual([
        expect.objectContaining({ path: 'dumps/db', size: 2.5 * PIECE, md5: md5(readFileSync(join(folder, 'big'))) }),
      ]);
      expect(names).toEqual([
        'dumps/db.part-00001-of-00000\n',
        'dumps/db.part-00002-of-00000\n',
        'dumps/db.part-00003-of-00003\n',
      ]);
    },
  );

  it.runIf(hasRecipeTools)('comes back with plain tools, as docs/format.md says', () => {
    const at = location.slice('file://'.length);
    runScript(recipe('everything'), at);

    expect(sha(join('s', at.split('/s/')[1] ?? '', 'out/dumps/db'))).toBe(sha('big'));
    expect(readdirSync(join(at, 'out/dumps'))).toEqual(['db']);
  });

  it('can be read from its chunks alone when the manifest is lost', async () => {
    rmSync(join(location.slice('file://'.length), 'manifest.json.gz'));
    rmSync(join(folder, 'home'), { recursive: true });

    const repaired = await run(['repair', location, '--execute', '-q']);
    const printed = await run(['restore', './s', 'out', '--all', '-q']);

    expect([repaired.status, repaired.stderr, printed.status]).toEqual([0, '', 0]);
    expect(sha('out/dumps/db')).toBe(sha('big'));
  });

  it('is the next version when the next stream of this name comes', async () => {
    const next = await run(['upload', '-', './s', '--name', 'dumps/db', '--json', '-q'], { input: 'short' });

    expect(json(next.stdout)).toMatchObject({ version: 2, files: 1, bytes: 5, chunks: 1 });
    expect((await run(['cat', './s', '--file', 'dumps/db'])).stdout).toBe('short');
    expect((await run(['verify', './s', '--deep', '-q'])).status).toBe(0);
  });
});

it('archives just a piece, and a byte more than that', async () => {
  for (const size of [PIECE, PIECE + 1]) {
    writeFileSync(join(folder, 'big'), randomBytes(size));
    const flags = ['--name', `n-${size}`, '--stdin-command', 'cat big', ...SMALL];
    const { stdout } = await run(['upload', '-', './s', ...flags, '--json', '-q']);
    await run(['restore', String(json(stdout)['location']), 'out', '--all', '-q']);

    expect([json(stdout)['chunks'], sha(`out/n-${size}`)]).toEqual([size === PIECE ? 1 : 2, sha('big')]);
  }
});

describe('nothing is committed, and nothing is left', () => {
  test.each<[command: string, why: RegExp]>([
    ['cat big; echo no such table >&2; exit 3', /ended with status 3: no such table; nothing was committed/],
    ['cat big; kill -9 $$', /was ended by SIGKILL; nothing was committed/],
    ['no-such-program', /ended with status 127.*not found/],
  ])('when %s', async (line, why) => {
    writeFileSync(join(folder, 'big'), randomBytes(2 * PIECE));
    const { status, stderr } = await run(['upload', '-', './s', '--name', 'x', '--stdin-command', line, ...SMALL]);

    expect([status, stderr, stored()]).toEqual([1, expect.stringMatching(why), []]);
  });

  it('when stdin is empty, unless that is allowed', async () => {
    const refused = await run(['upload', '-', './s', '--name', 'x'], { input: '' });
    expect([refused.status, refused.stderr, stored()]).toEqual([1, expect.stringContaining('--allow-empty'), []]);

    const allowed = await run(['upload', '-', './s', '--name', 'x', '--allow-empty', '-q'], { input: '' });
    const restored = await run(['restore', './s', 'out', '--all', '-q']);
    expect([allowed.status, restored.status, statSync(join(folder, 'out/x')).size]).toEqual([0, 0, 0]);
  });

  it('when there is more than --expected-size says', async () => {
    const { status, stderr } = await run(['upload', '-', './s', '--name', 'x', '--expected-size', '3'], {
      input: 'four',
    });

    expect([status, stderr, stored()]).toEqual([4, expect.stringContaining('more than the 3 bytes'), []]);
  });

  it('when it is interrupted, and what writes it is ended', async () => {
    writeFileSync(join(folder, 'big'), randomBytes(2 * PIECE));
    const stop = new AbortController();
    const line = 'cat big; echo $$ > pid; sleep 300.25 | cat';
    const running = run(['upload', '-', './s', '--name', 'x', '--stdin-command', line, ...SMALL], {
      signal: stop.signal,
    });
    await expect.poll(() => stored().length, { timeout: 10_000 }).toBeGreaterThan(0);
    stop.abort();

    expect((await running).status).not.toBe(0);
    expect(stored()).toEqual([]);
    const group = readFileSync(join(folder, 'pid'), 'utf8').trim();
    await expect.poll(() => existsSync(`/proc/${group}`), { timeout: 5000 }).toBe(false);
  });

  it('where a budget applies and nobody said how much may come', async () => {
    await run(['budget', 'set', 'dumps', '--volume', '0.001']);
    const flags = ['upload', '-', './s', '--name', 'x', '--project', 'dumps', '-q'];

    const unknown = await run(flags, { input: 'abc' });
    const over = await run([...flags, '--expected-size', '2GiB'], { input: 'abc' });
    expect([unknown.status, unknown.stderr, over.status, stored()]).toEqual([
      4,
      expect.stringMatching(/a budget applies[^]*--expected-size/),
      4,
      [],
    ]);
    expect(await run([...flags, '--expected-size', '1KiB'], { input: 'abc' })).toMatchObject({ status: 0 });
  });
});

test.each<[flags: string[], why: string, host?: Partial<CommandHost>]>([
  [[], 'say its --name'],
  [['--name', '../x'], 'cannot be the name of a file'],
  [['--name', 'x', '--exclude', '*.tmp', '--auto-tier'], '--auto-tier and --exclude can do nothing for stdin'],
  [['--name', 'x', '--source-profile', 'other'], '--source-profile can do nothing for stdin'],
  [['--name', 'x', '--dry-run'], '--dry-run cannot say'],
  [['--name', 'x'], 'is a terminal', { answers: [] }],
])('%j is refused', async (flags, why, host) => {
  const { status, stderr } = await run(['upload', '-', './s', ...flags], { input: 'abc', ...host });

  expect([status, stderr, stored()]).toEqual([2, expect.stringContaining(why), []]);
});

it('does not take a name for a folder', async () => {
  mkdirSync(join(folder, 'd'));
  const { status, stderr } = await run(['upload', 'd', './s', '--name', 'x']);

  expect([status, stderr]).toEqual([2, expect.stringContaining('--name')]);
});

it('does not replace the versions of a folder that has more files', async () => {
  mkdirSync(join(folder, 'd'));
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(folder, 'd', name), name);
  await run(['upload', 'd', './s', '--dataset-id', 'mine-1', '-q']);

  const { status, stderr } = await run(['upload', '-', './s', '--name', 'x', '--dataset-id', 'mine-1'], {
    input: 'abc',
  });
  expect([status, stderr]).toEqual([4, expect.stringContaining('--allow-mass-delete')]);
});

it('begins a dataset whose name is like that of another with --new-dataset alone', async () => {
  await run(['upload', '-', './s', '--name', 'x', '--dataset-id', 'photos', '-q'], { input: 'abc' });
  const flags = ['upload', '-', './s', '--name', 'x', '--dataset-id', 'Photos', '-q'];

  const refused = await run(flags, { input: 'abc' });
  const begun = await run([...flags, '--new-dataset', '--json'], { input: 'abc' });
  expect([refused.status, json(begun.stdout)]).toEqual([2, expect.objectContaining({ datasetId: 'Photos' })]);
});
