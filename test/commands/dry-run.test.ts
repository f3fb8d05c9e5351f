// What dry runs of uploads say, and that they write nothing.
import { linkSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { command as createUpload } from '../../src/commands/create/upload.js';
import { command as migrate } from '../../src/commands/migrate.js';
import { command as sync } from '../../src/commands/sync.js';
import { command as upload } from '../../src/commands/upload.js';
import { makeTar } from '../core/mend/migrate/make-tar.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([createUpload, migrate, sync, upload], [], 'test');
const NOW = new Date('2026-06-30T00:00:00Z');
let folder = '';
let server: MemoryS3 | undefined;

async function run(...argv: readonly string[]): Promise<CommandRun> {
  const env = { AWS_ENDPOINT_URL: server?.endpoint ?? '' };
  return await runCommand({ root, folder, env, now: () => NOW }, [...argv, '--progress-format', 'none']);
}

/** Operations that the server was asked for, each once. */
const asked = (): string[] => [...new Set(server?.requests.map(({ operation }) => operation))];

function write(path: string, text: string, readDaysAgo = 0): void {
  const file = join(folder, 'source', path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, NOW.getTime() / 1000 - readDaysAgo * 86_400, 1_700_000_000);
}

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  server = await startMemoryS3('bucket');
  write('a', 'alpha');
  write('old', 'x'.repeat(1000), 100);
  write('logs/b.tmp', 'beta');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

test.each([
  [['--exclude', '*'], '3 paths'],
  [['--exclude', '*', '--verbose'], '3 paths'],
  [['--include', 'old', '--exclude', 'old'], undefined],
  [['--include', '*.none'], '3 paths'],
])('a folder of which %j leaves nothing is not called empty', async (filters, paths) => {
  const { stderr } = await run('upload', 'source', 's3://bucket/x', '--dry-run', ...filters);

  expect(stderr).not.toContain('is its disk mounted');
  const said =
    / everything in .*\/source was left out by filters \((.*); --dry-run --verbose names the rule of each\)$/m;
  expect(said.exec(stderr)?.[1]).toBe(paths);
});

test('every file is listed with its class, or with the rule that leaves it out', async () => {
  write('caches/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55');
  write('caches/x', 'x');
  write('made/.archiverignore', '*.o\n');
  write('made/main.o', 'o');
  write('out/y', 'y');
  writeFileSync(join(folder, 'patterns'), 'out\n');
  linkSync(join(folder, 'source/a'), join(folder, 'source/z'));

  const rules = ['--exclude', '*.tmp', '--exclude-file', join(folder, 'patterns'), '--exclude-caches'];
  const tiers = ['--auto-tier', '--tier-strategy', 'tier-aware'];
  const { status, stdout } = await run('upload', 'source', 's3://bucket/x', '--dry-run', '-v', ...rules, ...tiers);

  expect([status, stdout.split('\n').slice(0, 9)]).toEqual([
    0,
    [
      'included   STANDARD      a',
      'included   STANDARD      caches/CACHEDIR.TAG',
      'left out   --exclude-caches  caches/x',
      'left out   --exclude *.tmp  logs/b.tmp',
      'included   STANDARD      made/.archiverignore',
      'left out   made/.archiverignore: *.o  made/main.o',
      'included   GLACIER       old',
      'left out   --exclude-file out  out/',
      'included   STANDARD      z',
    ],
  ]);
  expect(stdout).toContain('  dataset   source-');
  expect(stdout).toMatch(/\n {2}GLACIER {3}1 file, 1000 B, in 1 object of /);
  expect(stdout).toContain('  cost      storage unknown a month at most, requests unknown once');
});

test('with --include alone everything else is left out by that', async () => {
  const { stdout } = await run('upload', 'source', 's3://bucket', '--dry-run', '-v', '--include', 'a');

  expect(stdout.split('\n').slice(0, 4)).toEqual([
    'included   STANDARD      a',
    'left out   no --include  logs',
    'left out   no --include  logs/b.tmp',
    'left out   no --include  old',
  ]);
});

test.each([
  ['upload', 'source', 's3://bucket/x'],
  ['upload', 'source', 's3://bucket/x', '--direct-upload'],
  ['upload', 'source', 's3://bucket/x', '--incremental'],
  ['sync', 'source', 's3://bucket/x', '--track-deletes', '--force'],
  ['create', 'upload', 'source', '--bucket', 'bucket', '--prefix', 'x'],
  ['migrate', 'a.tar', 's3://bucket/x'],
])('%s %s %s %s asks for nothing that writes, and looks at the place', async (...argv) => {
  writeFileSync(join(folder, 'a.tar'), makeTar({ path: 'a', content: 'hello' }));

  const { status, stdout } = await run(...argv, '--dry-run', '--json', '-v');

  expect([status, asked()]).toEqual([0, ['ListObjectsV2']]);
  const document = json(stdout);
  expect(document).toMatchObject({
    dryRun: true,
    version: null,
    dataset: { version: null, isListed: true },
  });
  expect(readdirSync(folder).sort()).toEqual(
    ['a.tar', 'home', 'source'].filter((name) => readdirSync(folder).includes(name)),
  );
  const classes = document['classes'] as readonly {
    readonly files: number;
    readonly bytes: number;
    readonly storageClass: string;
  }[];
  expect(classes).toMatchObject([{ storageClass: 'STANDARD', files: document['files'], bytes: document['bytes'] }]);
  // Nobody lists what a server that is not AWS costs.
  expect(document['estimate']).toMatchObject({ costUsd: null, isAws: false });
});

test('a place that cannot be reached or is not there is no plan', async () => {
  const { status, stderr } = await run('upload', 'source', 's3://elsewhere', '--dry-run');

  expect([status, stderr]).toEqual([1, expect.stringContaining('elsewhere')]);
});

test('credentials that are missing are told, as an upload would meet them', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, join(folder, 'none'));

  const { status, stderr } = await run('upload', 'source', 's3://bucket/x', '--dry-run');

  expect([status, stderr]).toEqual([1, expect.stringContaining('credentials')]);
});

test('a sync says what is new, what has changed and what is there already', async () => {
  await run('sync', 'source', 's3://bucket');
  write('a', 'alpha and more');
  write('new', 'new');
  server?.requests.splice(0);

  const { stdout } = await run('sync', 'source', 's3://bucket', '--dry-run', '-v');
  const document = json((await run('sync', 'source', 's3://bucket', '--dry-run', '--json', '-v')).stdout);

  expect(stdout.split('\n').slice(0, 4)).toEqual([
    'changed    STANDARD      a',
    'unchanged                logs/b.tmp',
    'included   STANDARD      new',
    'unchanged                old',
  ]);
  expect(stdout).toMatch(
    /\n {2}dataset {3}source-[0-9a-f]+, which is at version 1\n {2}STANDARD {2}2 files, 17 B, in 1 object /,
  );
  expect(asked().filter((operation) => !/^(List|Get|Head)/.test(operation))).toEqual([]);
  expect(document).toMatchObject({ added: 1, modified: 1, unchanged: 2, dataset: { version: 1 } });
  expect(document['contents']).toMatchObject([
    { path: 'a', status: 'included', size: 14, storageClass: 'STANDARD', change: 'modified', reason: null },
    { path: 'logs/b.tmp', status: 'unchanged', storageClass: null },
    { path: 'new', status: 'included', change: 'added' },
    { path: 'old', status: 'unchanged' },
  ]);
});

test('a folder of this computer costs nothing, and without --verbose no file is listed', async () => {
  const { stdout } = await run('sync', 'source', `file://${folder}/store`, '--dry-run');

  expect(stdout).toMatch(
    /^Would upload .*: 3 added, 0 modified, 0 deleted, 0 unchanged\n {2}dataset .*\n {2}STANDARD .*\nNothing was written/,
  );
  expect(readdirSync(folder)).not.toContain('store');
});
