// `archiver analyze PATH`: a folder of this computer. The upload lines are run by a real shell.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { shellWord } from '../../../src/core/platform/text/shell-word.js';
import { archiver, CLI, environment } from '../../e2e/upload-cli.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const DAY_MS = 86_400_000;
const NOW = new Date('2026-06-01T00:00:00Z');
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { NO_COLOR: '1' }, now: () => NOW }, ['analyze', ...argv]);
const analyzed = async (...argv: readonly string[]): Promise<Record<string, unknown>> => {
  const { status, stdout, stderr } = await run(...argv, '--json', '--quiet');
  expect([status, stderr]).toEqual([0, '']);
  return json(stdout);
};
function write(path: string, size: number, days: number): void {
  const absolute = join(folder, path);
  mkdirSync(join(absolute, '..'), { recursive: true });
  writeFileSync(absolute, Buffer.alloc(size, 7));
  const at = new Date(NOW.getTime() - days * DAY_MS);
  utimesSync(absolute, at, at);
}
function makeLab(): void {
  write('lab/2019/raw/a.bin', 90_000, 2500);
  write('lab/2019/b.bin', 10_000, 2000);
  write("lab/it's old/c c.bin", 30_000, 800);
  write('lab/mixed/o.bin', 7000, 900);
  write('lab/mixed/y.bin', 50_000, 3);
  write('lab/mixed/.cache/z.tmp', 400, 1);
  linkSync(join(folder, 'lab/2019/b.bin'), join(folder, 'lab/mixed/b-again.bin'));
}
const HOT = [
  { path: '2019/', isWhole: true, bytes: 100_000 },
  { path: "it's old/", isWhole: true, bytes: 30_000 },
  { path: 'mixed/*', isWhole: false, oldBytes: 7000 },
];

/** Runs a line as it was printed, in a shell that knows the program. */
function pasted(line: string): Record<string, unknown> {
  const script = `archiver() { ${shellWord(process.execPath)} ${shellWord(CLI)} "$@"; }\n${line} --json`;
  const ran = spawnSync('sh', ['-c', script], { cwd: folder, env: environment(folder, undefined), encoding: 'utf8' });
  expect([ran.status, ran.stderr.includes('✗')]).toEqual([0, false]);
  return json(ran.stdout);
}

describe('a folder', () => {
  test('has the sums that du and find give', async () => {
    makeLab();
    write('lab/sparse', 1, 1);
    truncateSync(join(folder, 'lab/sparse'), 3 << 20);
    const du = (...flags: string[]): number => {
      const text = execFileSync('find', ['lab', '-type', 'f', '-print0'], { cwd: folder });
      const all = execFileSync('du', ['--files0-from=-', '-c', ...flags], {
        cwd: folder,
        input: text,
        encoding: 'utf8',
      });
      return Number(/(\d+)\ttotal/.exec(all)?.[1]);
    };

    const found = await analyzed('./lab');

    expect(found).toMatchObject({ files: 8, directories: 5, source: './lab', ageBy: 'mtime' });
    expect(found['bytes']).toBe(du('-b'));
    expect(found['allocatedBytes']).toBe(du('-B1'));
  });

  test('names where most is old, and what lies beside younger files', async () => {
    makeLab();
    const found = await analyzed('./lab');

    expect(found['hotFolders']).toMatchObject(HOT);
    expect(found).toMatchObject({ oldBytes: 137_000, hotFolderCount: 3 });
    expect(found['largestFolders']).toMatchObject([
      { path: '2019/', isWhole: true, bytes: 100_000, oldBytes: 100_000, newestDays: 2000 },
      { path: 'mixed/', bytes: 57_400, oldBytes: 7000 },
      { path: "it's old/", bytes: 30_000 },
    ]);
    expect(await analyzed('./lab', '--older-than', '6y')).toMatchObject({ oldBytes: 90_000 });
    expect(await analyzed('./lab', '--top', '1')).toMatchObject({ hotFolderCount: 3, hotFolders: [HOT[0]] });
  });

  test('is shown as text with what classes cost and save against the disk', async () => {
    makeLab();
    const { status, stdout } = await run('./lab', '--disk-price', '20000000', '--upload-to', 's3://acme/lab');

    expect(status).toBe(0);
    for (const text of [
      '7 files, 183 KiB in 6 folders',
      /old +5 files, 134 KiB, 73%: 1y by mtime or more/,
      /^5y and more +3 +97\.7 KiB +53%/m,
      /^2019\/ +2 +97\.7 KiB +100% +72% /m,
      /^CLASS +ALL\/MONTH +ALL SAVES +OLD\/MONTH +OLD SAVES/m,
    ])
      expect(stdout).toMatch(text);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `printf '%s\\n' 2019 'it'"'"'s old' | archiver upload ${folder}/lab s3://acme/lab --storage-class DEEP_ARCHIVE --files-from -`,
    );
    const { onDiskUsd, oldOnDiskUsd, allocatedBytes } = await analyzed('./lab', '--disk-price', '20000000');
    expect(onDiskUsd).toBeCloseTo(Number(allocatedBytes) * 20e-6, 3);
    expect(Number(oldOnDiskUsd)).toBeLessThan(Number(onDiskUsd));
  });

  test('without anything old says so and has no line', async () => {
    write('new/a', 10, 1);
    const { stdout } = await run('./new');

    expect(stdout).toContain('nothing is old');
    expect(stdout).not.toContain('archiver upload');
    expect(await analyzed('./new')).toMatchObject({ uploadCommand: null, hotFolders: [] });
  });

  test('that is not there, or is a file, is refused', async () => {
    write('file', 1, 1);

    expect(await run('./none')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not exist') as string,
    });
    expect((await run('acme')).stderr).toContain('write s3://acme for a bucket');
    expect(await run('./file')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a folder') as string,
    });
  });
});

describe('the upload line', () => {
  test('uploads what is listed, byte for byte, when it is pasted', { timeout: 60_000 }, async () => {
    makeLab();
    const { uploadCommand } = await analyzed('./lab', '--upload-to', './store');
    expect(uploadCommand).not.toContain('--storage-class');

    expect(pasted(String(uploadCommand))).toMatchObject({ files: 3, bytes: 130_000 });
    const restored = await archiver(folder, ['restore', `file://${folder}/store`, './out', '--all']);
    expect(restored.status).toBe(0);
    for (const path of ['2019', "it's old"])
      expect(spawnSync('diff', ['-r', join(folder, 'lab', path), join(folder, 'out', path)]).status).toBe(0);
  });

  test('keeps the filters and rules that the sums are by', { timeout: 60_000 }, async () => {
    makeLab();
    writeFileSync(join(folder, 'lab/.archiverignore'), 'raw/\n');
    const { uploadCommand, hotFolders } = await analyzed(
      './lab',
      '--top',
      '1',
      '--larger-than',
      '9000',
      '--exclude',
      '-x*',
      '--upload-to',
      './store',
    );

    expect(hotFolders).toMatchObject([{ path: "it's old/" }]);
    expect(pasted(String(uploadCommand))).toMatchObject({ files: 1, bytes: 30_000 });
  });

  test(
    'is of the whole folder where rules in it leave something out of what is listed',
    { timeout: 60_000 },
    async () => {
      makeLab();
      writeFileSync(join(folder, 'lab/.archiverignore'), 'b.bin\n');
      const { uploadCommand } = await analyzed('./lab', '--top', '1', '--upload-to', './store');

      expect(pasted(String(uploadCommand))).toMatchObject({ files: 1, bytes: 90_000 });
    },
  );

  test('names one folder as the source where no rule stands above it', { timeout: 60_000 }, async () => {
    makeLab();
    const { uploadCommand } = await analyzed('./lab', '--top', '1', '--upload-to', './store');

    expect(uploadCommand).toBe(`archiver upload ${folder}/lab/2019 file://${folder}/store`);
    expect(pasted(String(uploadCommand))).toMatchObject({ files: 2, bytes: 100_000 });
  });
});

describe('what was typed', () => {
  test('decides between a folder and a store in a folder', async () => {
    makeLab();
    const store = `file://${folder}/lab`;

    for (const path of ['./lab', 'lab', `${folder}/lab`, '.']) expect(await analyzed(path)).toHaveProperty('owners');
    for (const argv of [[store], ['--store', './lab'], ['--bucket', './lab']])
      expect(await analyzed(...argv)).toMatchObject({ location: store, objects: 7 });
  });

  test('is refused where it can do nothing', async () => {
    makeLab();
    const refused: readonly (readonly [string, string])[] = [
      ['./lab --sampling', '--sampling can do nothing for ./lab, which is a path'],
      ['./lab --no-show-savings', 'can do nothing for ./lab'],
      [`file://${folder}/lab --older-than 2y`, '--older-than can do nothing for a store'],
      [`file://${folder}/lab --exclude x`, '--exclude can do nothing for a store'],
      [`file://${folder}/lab --region eu-west-1`, '--region can do nothing for file://'],
      ['./lab --upload-to lab', '--upload-to wants a store URL'],
      ['./lab --older-than 2years', 'wants an age such as 90d, 26w or 2y'],
    ];
    for (const [call, text] of refused)
      expect([call, await run(...call.split(' '))]).toMatchObject([
        call,
        { status: 2, stderr: expect.stringContaining(text) as string },
      ]);
  });

  test('a path with uploads of archiver in it is a folder, and the URL of the store is named', async () => {
    mkdirSync(join(folder, 'store/uploads/20260304-050607-1a2b3c4d'), { recursive: true });

    expect((await run('./store')).stderr).toContain(`archiver analyze file://${folder}/store looks at it as a store`);
    mkdirSync(join(folder, 'other/uploads/cats'), { recursive: true });
    expect((await run('./other')).stderr).not.toContain('as a store');
  });
});

describe('a folder in it that may not be listed', () => {
  const shared = mkdtempSync(join(tmpdir(), 'archiver-analyze-'));
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  test('is named, counted as not seen, and the status is 3', async () => {
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    mkdirSync(join(shared, 'data/closed'), { recursive: true });
    mkdirSync(join(shared, 'home'));
    writeFileSync(join(shared, 'data/open'), 'open');
    writeFileSync(join(shared, 'data/closed/x'), 'closed');
    chmodSync(shared, 0o777);
    chmodSync(join(shared, 'home'), 0o777);
    chmodSync(join(shared, 'data/closed'), 0);
    onTestFinished(() => chmodSync(join(shared, 'data/closed'), 0o700));

    const { status, stdout, stderr } = await archiver(
      join(shared, 'home'),
      ['analyze', join(shared, 'data')],
      uid === undefined ? {} : { uid },
    );

    expect(status).toBe(3);
    expect(stdout).toMatch(/not seen +1 path could not be looked at, and all sums are without them/);
    expect(stderr).toContain('closed/: ');
  });
});
