// `archiver migrate` as a process, on archives that tar, gzip and zstd have made.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRoot, noise } from '../core/archive/trees.js';
import { makeTar } from '../core/mend/migrate/make-tar.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import {
  archiver,
  CLI,
  makeFolder,
  missingTools,
  onlyUpload,
  rawPathOf,
  readManifest,
  type Ran,
  type RunOptions,
} from './upload-cli.js';

const NOBODY = 65_534;
const uid = isRoot ? NOBODY : undefined;
const mayRun =
  uid === undefined ||
  spawnSync(process.execPath, ['-e', `require('fs').readFileSync(${JSON.stringify(CLI)})`], { uid, gid: uid, cwd: '/' })
    .status === 0;
if (!mayRun)
  process.stderr.write('left out: migrating as a normal user (the program cannot be run as another user here)\n');

interface MigrateDocument {
  readonly uploadId: string;
  readonly location: string;
  readonly version: number;
  readonly datasetId: string;
  readonly entries: number;
  readonly validated: boolean;
  readonly originalDeleted: boolean;
  readonly originalKept?: string;
  readonly notKept: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly tempFolder?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

async function migrateJson(
  home: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran & { document: MigrateDocument }> {
  const ran = await archiver(home, ['migrate', ...args, '--json', '--quiet'], options);
  if (ran.stdout === '') throw new Error(`no document, status ${ran.status}: ${ran.stderr}`);
  return { ...ran, document: JSON.parse(ran.stdout) as MigrateDocument };
}

async function place(): Promise<{ home: string; temp: string; base: string; url: string }> {
  const home = await tempFolder();
  const base = join(home, 'store');
  return { home, temp: makeFolder(home, 'temp'), base, url: `file://${base}` };
}

const missing = missingTools('tar', 'zstd', 'gzip', 'diff');
if (missing.length > 0)
  process.stderr.write(`left out: migrating what real tools made (${missing.join(', ')} missing)\n`);

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** A folder with everything that tar can keep. */
function fill(source: string): void {
  const folder = makeFolder(source, 'folder', 'below');
  const long = makeFolder(source, 'l'.repeat(120), 'm'.repeat(120));
  mkdirSync(join(source, 'empty'));
  writeFileSync(join(source, 'text'), 'text\n');
  writeFileSync(join(folder, 'noise'), noise(1_000_000));
  writeFileSync(join(long, 'deep'), 'deep');
  writeFileSync(join(source, 'nothing'), '');
  writeFileSync(join(source, 'new\nline \u00e9'), 'x');
  writeFileSync(Buffer.concat([Buffer.from(`${source}/raw`), Buffer.from([0xff, 0xfe])]), 'raw');
  linkSync(join(folder, 'noise'), join(source, 'hard'));
  symlinkSync('text', join(source, 'link'));
  symlinkSync('/nowhere/at/all', join(source, 'dangling'));
  symlinkSync('t'.repeat(150), join(source, 'far'));
  writeFileSync(join(source, 'sparse'), 'start');
  truncateSync(join(source, 'sparse'), 20_000_000);
  writeFileSync(join(source, 'sparse'), 'end', { flag: 'a' });
  for (const [name, mode] of [
    ['text', 0o640],
    ['nothing', 0o6755],
  ] as const)
    chmodSync(join(source, name), mode);
  for (const name of ['text', 'empty', 'folder']) utimesSync(join(source, name), 1_500_000_000.5, 1_500_000_000.25);
}

/** What find says of everything in a folder, and the contents of the files. */
function state(folder: string): string {
  const format = '%P %y %m %s %T@ %l %n\n';
  const found =
    run('find', folder, '-mindepth', '1', '!', '-type', 'd', '-printf', format) +
    run('find', folder, '-type', 'd', '-printf', '%P %y %m %T@\n');
  return found.split('\n').sort().join('\n');
}

describe.skipIf(missing.length > 0)('what tar made is what comes back', () => {
  test.each([
    ['gnu', ['-S'], 'zst'],
    ['posix', ['-S'], 'gz'],
    ['posix', ['-S', '--sparse-version=0.0'], 'zst'],
    ['posix', ['-S', '--sparse-version=0.1'], 'tar'],
    ['gnu', [], 'tar'],
  ])('%s format, %j, %s', async (format, how, packing) => {
    const { home, temp, url } = await place();
    const source = makeFolder(home, 'source');
    fill(source);
    const archive = join(home, 'old');
    run('tar', '-C', source, `--format=${format}`, ...how, '-cf', archive, '.');
    if (packing === 'zst') run('zstd', '-q', '--rm', archive, '-o', `${archive}.x`);
    if (packing === 'gz') writeFileSync(`${archive}.x`, gzipSync(readFileSync(archive)));
    const stored = packing === 'tar' ? archive : `${archive}.x`;

    const { status, document } = await migrateJson(home, [stored, url, '--temp-dir', temp]);
    const out = join(home, 'out');
    const restored = await archiver(home, [
      'restore',
      document.location,
      out,
      '--all',
      '--quiet',
      '--keep-special-bits',
    ]);

    expect([status, restored.status, readdirSync(temp), document.skipped]).toEqual([0, 0, [], []]);
    expect(document).toMatchObject({ validated: true, originalDeleted: false });
    run('diff', '-r', '--no-dereference', source, out);
    // GNU format keeps whole seconds only.
    const shown = (folder: string): string =>
      format === 'gnu' ? state(folder).replace(/(\d{10})\.\d+/g, '$1') : state(folder);
    expect(shown(out)).toBe(shown(source));
  });
});

describe('as somebody who is not root', () => {
  test.skipIf(!mayRun)(
    'owners are lost, which is said once; nothing is in the way, and the original stays',
    async () => {
      const { home, temp, base, url } = await place();
      const archive = join(home, 'old.tar');
      const tar = makeTar(
        { path: './', type: '5', mode: 0o500 },
        { path: 'd/', type: '5', mode: 0, uid: 1, gid: 1 },
        { path: 'd/unreadable', content: 'x', mode: 0o200, uid: 2, gid: 2 },
        { path: 'tool', content: 'x', mode: 0o4755, uid: 3, gid: 3 },
      );
      writeFileSync(archive, tar);
      if (uid !== undefined) for (const path of [home, temp, archive]) chownSync(path, uid, uid);

      const options = uid === undefined ? {} : { uid };
      const args = [archive, url, '--temp-dir', temp, '--delete-original', '--yes'];
      const { status, document, stderr } = await migrateJson(home, args, options);

      expect([status, document.validated, document.originalDeleted, existsSync(archive)]).toEqual([
        3,
        true,
        false,
        true,
      ]);
      expect(document.notKept).toEqual([
        expect.stringMatching(/^the owner of \d entries .* only root/),
        expect.stringMatching(/^the mode of \d entries was widened/),
      ]);
      expect([stderr, readdirSync(temp)]).toEqual(['', []]);
      const files = readManifest(onlyUpload(base)).files as unknown as { path: string; mode: string; uid: number }[];
      expect(files.map(({ path, mode }) => `${path} ${mode}`)).toEqual(['d 0500', 'd/unreadable 0600', 'tool 4755']);
      expect(new Set(files.map((file) => file.uid))).toEqual(new Set([uid ?? process.getuid?.()]));
    },
  );
});

const inContainer = ['-r', process.execPath, CLI];
const mayContain = isRoot && spawnSync('unshare', ['-r', 'true']).status === 0;
if (!mayContain)
  process.stderr.write('left out: migrating as the root of a container (unshare -r does not work here)\n');

test.skipIf(!mayContain)('as root of a container, owners that it does not know are lost and nothing else', async () => {
  const { home, temp, base, url } = await place();
  const fields = [
    { path: 'd/', type: '5', uid: 77, gid: 77, mode: 0o700 },
    { path: 'd/known', content: 'x', uid: 0, gid: 0 },
    { path: 'd/unknown', content: 'y', uid: 77, gid: 77, mode: 0o4711 },
    { path: 'link', type: '2', target: 'x', uid: 77, gid: 77 },
  ];
  writeFileSync(join(home, 'old.tar'), makeTar(...fields));

  const args = [...inContainer, 'migrate', 'old.tar', url, '--temp-dir', temp, '--json', '--quiet'];
  const { status, stdout } = spawnSync('unshare', args, { cwd: home, encoding: 'utf8', env: { HOME: home } });

  const document = JSON.parse(stdout) as MigrateDocument;
  expect([status, document.skipped, document.validated, document.entries]).toEqual([0, [], true, 4]);
  expect(document.notKept).toEqual([expect.stringMatching(/^the owner of 3 entries could not be kept/)]);
  const files = readManifest(onlyUpload(base)).files as unknown as { path: string; mode: string }[];
  expect(files.map(({ path, mode }) => `${path} ${mode}`)).toContain('d/unknown 4711');
});

describe('from a bucket and to it', () => {
  const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

  async function bucket(archive: Buffer, headers: Record<string, string> = {}) {
    const s3 = await startMemoryS3('old', 'new');
    onTestFinished(() => s3.close());
    s3.buckets.get('old')!.set('deep//folder/a b.tar', { body: archive, etag: '"1"', modified: new Date(), headers });
    const { home, temp } = await place();
    const args = [
      's3://old/deep//folder/a b.tar',
      's3://new/base',
      '--endpoint-url',
      s3.endpoint,
      '--region',
      'us-east-1',
      '--temp-dir',
      temp,
    ];
    return { s3, home, temp, args };
  }

  test('the archive is read once, and deleted when that is asked for and everything is there', async () => {
    const { s3, home, temp, args } = await bucket(
      gzipSync(makeTar({ path: 'a', content: 'hello', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 })),
    );

    const { status, document } = await migrateJson(
      home,
      [...args, '--delete-original', '--yes', '--storage-class', 'GLACIER_IR', '--shard-count', '100'],
      { env: environment },
    );

    expect([status, document.originalDeleted, document.originalKept]).toEqual([0, true, undefined]);
    expect([...s3.buckets.get('old')!.keys()]).toEqual([]);
    const ofArchive = s3.requests.filter(({ path }) => path.includes('/old/'));
    expect(ofArchive.map(({ operation }) => operation)).toEqual(['GetObject', 'HeadObject', 'DeleteObjects']);
    const [chunk] = [...s3.buckets.get('new')!].filter(([key]) => key.includes('chunk-'));
    expect(chunk?.[1].headers['x-amz-storage-class']).toBe('GLACIER_IR');
    expect(readdirSync(temp)).toEqual([]);
  });

  test('one in cold storage is not readable, which is said', async () => {
    const { home, args, temp } = await bucket(makeTar({ path: 'a' }), { 'x-amz-storage-class': 'DEEP_ARCHIVE' });

    const { status, document } = await migrateJson(home, args, { env: environment });

    expect([status, document.error?.code, readdirSync(temp)]).toEqual([1, 'cold-storage', []]);
  });
});

test('the text says what was migrated, what was left out, and where it is', async () => {
  const { home, temp, url } = await place();
  writeFileSync(
    join(home, 'old.tgz'),
    gzipSync(makeTar({ path: 'a', content: 'hello' }, { path: '../x' }, { path: 'f', type: '6' })),
  );

  const { status, stdout } = await archiver(home, [
    'migrate',
    'old.tgz',
    url,
    '--temp-dir',
    'temp',
    '--keep-temp',
    '--quiet',
  ]);

  expect(status).toBe(3);
  expect(stdout).toContain('Uploaded 1 file, 5 B');
  expect(stdout).toContain(`archive   file://${home}/old.tgz (tar.gz), kept\n`);
  expect(stdout).toContain('validated 1 path as in the archive\n');
  expect(stdout).toContain("../x: refused: the path has a '..' part\n");
  expect(stdout).toContain('f: is a FIFO\n');
  expect(stdout).toMatch(/ {2}temporary \/.*\/temp\/archiver-migrate-\w+\n/);
  expect(readdirSync(temp)).toHaveLength(1);
});

test('a failure is one document, and leaves nothing', async () => {
  const { home, temp, base, url } = await place();
  writeFileSync(join(home, 'old.tar'), makeTar({ path: 'a', content: 'hello' }).subarray(0, 800));

  const { status, document } = await migrateJson(home, ['old.tar', url, '--temp-dir', temp, '--keep-temp=false']);

  expect(status).toBe(1);
  expect(document.error).toMatchObject({
    code: 'integrity',
    message: expect.stringMatching(/old\.tar cannot be migrated: .*cut off/),
  });
  expect([readdirSync(temp), existsSync(join(base, 'uploads'))]).toEqual([[], false]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s removes what was extracted, and keeps the original', async (signal) => {
  const { home, temp, base, url } = await place();
  // Slow enough to be caught in the middle: a hole of four terabytes is hashed.
  const pax: [string, string][] = [
    ['GNU.sparse.size', String(4e12)],
    ['GNU.sparse.map', ''],
  ];
  writeFileSync(join(home, 'old.tar'), makeTar({ path: 'a', content: 'hello' }, { path: 'hole', pax }));
  const child = spawn(
    process.execPath,
    [CLI, 'migrate', 'old.tar', url, '--temp-dir', temp, '--delete-original', '--yes', '--json'],
    {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ARCHIVER_HOME: join(home, '.archiver') },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  const isThere = (): boolean => readdirSync(temp).some((name) => existsSync(join(temp, name, 'data', 'hole')));
  for (let tries = 0; tries < 4000 && !isThere(); tries++) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(isThere()).toBe(true);

  child.kill(signal);
  const status = await new Promise((resolve) => child.once('close', resolve));

  expect(status).toBe(signal === 'SIGINT' ? 130 : 143);
  expect((JSON.parse(stdout) as MigrateDocument).error?.code).toBe('cancelled');
  expect([readdirSync(temp), existsSync(join(home, 'old.tar')), existsSync(join(base, 'uploads'))]).toEqual([
    [],
    true,
    false,
  ]);
});

test('names that are not UTF-8 keep their bytes', async () => {
  const { home, temp, base, url } = await place();
  writeFileSync(join(home, 'old.tar'), makeTar({ path: 'x', pax: [['path', 'pax\xff']] }, { path: 'ustar\xfe' }));

  expect((await migrateJson(home, ['old.tar', url, '--temp-dir', temp])).status).toBe(0);
  expect(readManifest(onlyUpload(base)).files.map(rawPathOf)).toEqual(['pax\xff', 'ustar\xfe']);
});
