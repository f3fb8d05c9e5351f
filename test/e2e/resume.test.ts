// Killed and interrupted uploads as processes: `archiver resume`, `upload --resume`, `sync`, `create upload --resume`.
import { spawn, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readLog } from '../../src/core/archive/resume/entry-log.js';
import { encodeState, parseState, type UploadState } from '../../src/core/archive/resume/upload-state.js';
import { rawFromText } from '../../src/core/platform/paths/raw-path.js';
import { describeTree, MIB, noise } from '../core/archive/trees.js';
import { startHook } from '../support/hook-server.js';
import { tempFolder } from '../support/temp-folder.js';
import { untilNoted } from '../support/until-noted.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { startFaultProxy } from '../faults/fault-proxy.js';
import { archiver } from './in-process.js';
import { archiver as archiverProcess, CLI, filesBelow, makeFolder, type Ran } from './upload-cli.js';
import { asUploadId } from '../support/as-upload-id.js';

const SLOW = ['--limit-upload', '12MiB', '--memory-limit', '200MiB'] as const;

interface Place {
  readonly home: string;
  readonly source: string;
  readonly base: string;
  readonly url: string;
  readonly state: string;
}

async function place(files = 16): Promise<Place> {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  for (let index = 0; index < files; index++) writeFileSync(join(source, `f${index}`), noise(2 * MIB));
  writeFileSync(join(source, 'large'), noise(13 * MIB));
  const base = join(home, 'store');
  return { home, source, base, url: `file://${base}`, state: join(home, '.archiver', 'state') };
}

function start(home: string, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ARCHIVER_HOME: join(home, '.archiver') },
    cwd: home,
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', (status) => resolve(status));
  });

const entriesOf = (state: string): string | undefined =>
  existsSync(state) ? readdirSync(state).find((name) => name.endsWith('.entries')) : undefined;

/** Starts, and kills in the middle. */
async function killed({ home, state }: Place, args: readonly string[], signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL') {
  const child = start(home, [...args, ...SLOW]);
  await untilNoted(state);
  child.kill(signal);
  return await ended(child);
}

/** Runs on a pseudo terminal and answers a question. */
async function onTerminal(
  home: string,
  args: readonly string[],
  [question, answer]: readonly [string, string],
): Promise<{ status: number; text: string }> {
  const { spawn: spawnPty } = await import('@lydell/node-pty');
  const pty = spawnPty(process.execPath, [CLI, ...args], {
    cols: 200,
    rows: 40,
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ARCHIVER_HOME: join(home, '.archiver'), TERM: 'xterm' },
  });
  let text = '';
  let isAnswered = false;
  pty.onData((data) => {
    text += data;
    if (isAnswered || !text.includes(question)) return;
    isAnswered = true;
    pty.write(`${answer}\r`);
  });
  const status = await new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  return { status, text };
}

const chunksIn = (base: string): string[] => filesBelow(base).filter((path) => /chunk-\d+\.tar\.zst$/.test(path));
const json = ({ stdout }: Ran): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

async function expectRestored({ home, source }: Place, location: unknown): Promise<void> {
  const out = join(await tempFolder(), 'out');
  const { status, stderr } = await archiver(home, ['restore', String(location), out, '--all', '--quiet']);
  expect([status, stderr]).toEqual([0, '']);
  expect(describeTree(rawFromText(out))).toEqual(describeTree(rawFromText(source)));
}

/** Chunks that were there are as they were, and only those that `reused` does not count were sent. */
function expectNothingTwice(
  before: ReadonlyMap<string, number>,
  at: Place,
  document: Record<string, unknown>,
  reused: number,
): void {
  const news = chunksIn(at.base).filter((path) => !before.has(path));
  expect((document['requests'] as { put: number }).put).toBe(news.length + 2);
  expect(news).toHaveLength(Number(document['chunks']) - reused);
  for (const [path, inode] of before) expect(statSync(join(at.base, path)).ino).toBe(inode);
  expect(reused).toBeGreaterThan(0);
}

/** How many chunks the journal of the only saved upload holds. */
async function notedIn({ state }: Place): Promise<number> {
  const entries = entriesOf(state) ?? '';
  return (await readLog(join(state, entries), asUploadId(entries.slice(0, 24)))).chunks.length;
}

const inodes = ({ base }: Place): Map<string, number> =>
  new Map(chunksIn(base).map((path) => [path, statSync(join(base, path)).ino]));

test('a killed upload goes on with `resume`, and nothing acknowledged is sent again', async () => {
  const at = await place();
  await killed(at, ['upload', at.source, at.url]);
  const [before, noted] = [inodes(at), await notedIn(at)];
  const listed = json(await archiver(at.home, ['resume', 'list', '--json']));
  expect(listed['uploads']).toMatchObject([
    { status: 'interrupted', command: 'upload', source: at.source, destination: at.url, filesTotal: 17 },
  ]);

  const resumed = await archiver(at.home, ['resume', '--json', '--quiet', '--limit-upload', '1GiB']);

  expect(resumed.status).toBe(0);
  const document = json(resumed);
  const [saved] = listed['uploads'] as { uploadId: string; chunksTotal: number }[];
  expect(document).toMatchObject({ files: 17, chunks: saved?.chunksTotal });
  expect(document['uploadId']).not.toBe(saved?.uploadId); // one id has one process for ever
  expectNothingTwice(before, at, document, noted);
  await expectRestored(at, document['location']);
  expect(readdirSync(at.state)).toEqual([]);
});

test('what a budget keeps from going on stays as it is, and goes on with --ignore-budget; both ping where they are told to', async () => {
  const at = await place();
  const monitor = await startHook();
  const pinged = { env: { ARCHIVER_PING_URL: monitor.url } };
  await killed(at, ['upload', at.source, at.url]);
  const [before, noted] = [inodes(at), await notedIn(at)];
  await archiver(at.home, ['budget', 'set', '--global', '--volume', '0.000001']);

  const refused = await archiver(at.home, ['resume', '--quiet'], pinged);
  const left = inodes(at);
  const resumed = await archiver(at.home, ['resume', '--ignore-budget', '--json', '--quiet'], pinged);

  expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('would exceed the volume budget')]);
  expect([left, resumed.status]).toEqual([before, 0]);
  expect(monitor.requests.map(({ path }) => path)).toEqual(['/start', '/4', '/start', '/']);
  expectNothingTwice(before, at, json(resumed), noted);
  await expectRestored(at, json(resumed)['location']);
});

test('`upload --resume` finds it, and a plain upload says that it is there', async () => {
  const at = await place();
  await killed(at, ['upload', at.source, at.url]);
  const [before, noted] = [inodes(at), await notedIn(at)];

  const plain = await archiver(at.home, ['upload', at.source, at.url, '--dry-run']);
  const other = await archiver(at.home, ['upload', at.source, at.url, '--resume', '--project', 'p']);
  const resumed = await archiver(at.home, ['upload', at.source, at.url, '--resume', '--json', '--quiet']);

  expect(plain.status).toBe(0);
  expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining('started with other settings: --project') });
  expect(resumed.status).toBe(0);
  expectNothingTwice(before, at, json(resumed), noted);
  await expectRestored(at, json(resumed)['location']);
});

test.each([
  [
    'its version was pruned',
    (at: Place, id: string) =>
      archiver(at.home, ['dataset', 'prune', at.url, '--dataset-id', id, '--keep-last', '1', '--instant', '--yes']),
  ],
  ['its file is gone', async (at: Place) => rmSync(join(at.home, 'old.json.gz'))],
])('an upload that was compared with an older manifest goes on though %s', async (_what, lose) => {
  const at = await place();
  const first = json(await archiver(at.home, ['sync', at.source, at.url, '--json']));
  copyFileSync(join(at.base, String(first['manifestKey'])), join(at.home, 'old.json.gz'));
  writeFileSync(join(at.source, 'more'), 'x');
  await archiver(at.home, ['sync', at.source, at.url]);
  for (let index = 0; index < 12; index++) writeFileSync(join(at.source, `f${index}`), noise(2 * MIB));
  const old = chunksIn(at.base);
  await killed(at, ['upload', at.source, at.url, '--incremental', '--prev-manifest', 'old.json.gz']);
  const [before, noted] = [inodes(at), await notedIn(at)];
  for (const path of old) before.delete(path);
  await lose(at, String(first['datasetId']));

  const resumed = await archiver(at.home, ['resume', '--json']);

  expect(resumed.stderr).toContain('comparing with the latest version instead');
  expect(json(resumed)).toMatchObject({ version: 3, modified: 12, unchanged: 6 });
  for (const [path, inode] of before) expect(statSync(join(at.base, path)).ino).toBe(inode);
  expect(chunksIn(at.base).filter((path) => !before.has(path) && !old.includes(path))).toHaveLength(
    Number(json(resumed)['chunks']) - noted,
  );
  await expectRestored(at, json(resumed)['location']);
});

test('without a terminal and without a flag an upload goes on, as a cron job has to', async () => {
  const at = await place();
  await killed(at, ['upload', at.source, at.url]);
  const [before, noted] = [inodes(at), await notedIn(at)];

  const { status, stdout, stderr } = await archiver(at.home, ['upload', at.source, at.url, '--json']);

  expect(status).toBe(0);
  expect(stderr).toContain('continuing the interrupted upload');
  expectNothingTwice(before, at, JSON.parse(stdout) as Record<string, unknown>, noted);
});

test('with other settings it begins anew and says how to go on, and with --force-restart it says nothing', async () => {
  const at = await place();
  await killed(at, ['upload', at.source, at.url]);
  const [saved = ''] = readdirSync(at.state);

  const anew = await archiver(at.home, ['upload', at.source, at.url, '--project', 'p']);
  const silent = await archiver(at.home, ['upload', at.source, at.url, '--force-restart']);

  expect(anew.stderr).toContain(`archiver resume ${saved.slice(0, 24)}`);
  expect(silent.stderr).not.toContain('archiver resume');
  expect([anew.status, silent.status]).toEqual([0, 0]);
});

test.each([
  ['by itself', []],
  ['also where it has to be allowed what stopped it', ['--allow-mass-delete']],
])('a killed sync goes on %s', async (_name, more) => {
  const at = await place();
  await archiver(at.home, ['sync', at.source, at.url]);
  for (let index = 0; index < 12; index++) writeFileSync(join(at.source, `f${index}`), noise(2 * MIB));
  const old = chunksIn(at.base);
  const sync = ['sync', at.source, at.url, '--track-deletes'];
  await killed(at, sync);
  const [before, noted] = [inodes(at), await notedIn(at)];
  expect(before.size).toBeGreaterThan(old.length);

  const again = await archiver(at.home, [...sync, ...more, '--json']);

  const document = json(again);
  expect(again.stderr).toContain('continuing the interrupted upload');
  expect(document).toMatchObject({ version: 2, modified: 12, unchanged: 5 });
  expectNothingTwice(before, at, document, noted);
  await expectRestored(at, document['location']);
});

test('an interruption says what is kept, and exits as before', async () => {
  const at = await place();
  const child = spawn(process.execPath, [CLI, 'upload', at.source, at.url, ...SLOW], {
    env: { PATH: process.env['PATH'] ?? '', HOME: at.home, ARCHIVER_HOME: join(at.home, '.archiver') },
  });
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  await untilNoted(at.state);
  child.kill('SIGINT');

  expect(await ended(child)).toBe(130);
  expect(stderr).toMatch(
    /what was sent is kept \(\d+ chunks?, [\d.]+ MiB\): `archiver resume \d{8}-\d{6}-[0-9a-f]{8}`/,
  );
});

test('two at once: one goes on, the other is told who does', async () => {
  const at = await place();
  await killed(at, ['upload', at.source, at.url]);
  const id = (entriesOf(at.state) ?? '').slice(0, 24);
  const first = start(at.home, ['resume', '--limit-upload', '8MiB']);
  const lock = join(at.state, `${id}.lock`);
  // while it takes the dead one's lock over there is none for a moment
  await vi.waitFor(() => expect(readFileSync(lock, 'utf8')).toContain(`"pid":${first.pid},`), 120_000);

  const second = await archiver(at.home, ['resume', id]);
  const cleaned = await archiver(at.home, ['resume', 'clean', '--older-than', '0', '--json']);

  expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining(`process ${first.pid} on`) });
  expect(json(cleaned)).toMatchObject({ removed: [], keptCount: 1 });
  first.kill('SIGKILL');
});

describe('state that cannot be used is refused in a sentence', () => {
  test.each<readonly [string, (path: string) => void, string]>([
    ['torn', (path) => truncateSync(path, 100), 'is not a JSON document'],
    ['empty', (path) => truncateSync(path, 0), 'is not a JSON document'],
    ['another document', (path) => writeFileSync(path, '{"a":1}'), 'is not a saved upload of archiver'],
    ['newer', (path) => writeFileSync(path, '{"type":"archiver-upload-state","format":9}'), 'update archiver'],
    [
      'edited',
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"STANDARD"', '"GLACIER"')),
      'does not match its checksum',
    ],
  ])('%s', async (_name, bend, words) => {
    const at = await place(4);
    await killed(at, ['upload', at.source, at.url]);
    const name = readdirSync(at.state).find((one) => one.endsWith('.json')) ?? '';
    bend(join(at.state, name));

    const id = name.slice(0, -5);
    const resumed = await archiver(at.home, ['resume', id]);
    const listed = await archiver(at.home, ['resume', 'list', '--json']);
    const uploaded = await archiver(at.home, ['upload', at.source, at.url, '--resume', '--quiet']);

    expect(resumed).toMatchObject({ status: 1, stderr: expect.stringContaining(words) });
    expect(resumed.stderr).not.toContain('    at ');
    expect(listed.status).toBe(3);
    expect(json(listed)['uploads']).toMatchObject([{ uploadId: id, status: 'unreadable' }]);
    expect(uploaded.status).toBe(0);
    expect((await archiver(at.home, ['resume', 'clean', '--older-than', '0'])).stdout).toContain(
      'Removed 1 saved upload',
    );
  });
});

test('an id that is not there is answered with the nearest, and --region for a folder is refused', async () => {
  const at = await place(4);
  await killed(at, ['upload', at.source, at.url]);
  const id = (entriesOf(at.state) ?? '').slice(0, 24);

  const wrong = await archiver(at.home, ['resume', `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`]);
  const path = await archiver(at.home, ['resume', '../../etc/passwd']);
  const inFolder = await archiver(at.home, ['resume', id, '--region', 'eu-west-1']);

  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining(`did you mean ${id}?`) });
  expect(path).toMatchObject({ status: 1, stderr: expect.stringContaining('no upload ../../etc/passwd is saved') });
  expect(inFolder).toMatchObject({ status: 2, stderr: expect.stringContaining('--region can do nothing for file://') });
});

test('clean keeps what is young, and what is not complete when asked for what is', async () => {
  const at = await place(4);
  await killed(at, ['upload', at.source, at.url]);

  const young = json(await archiver(at.home, ['resume', 'clean', '--json']));
  const completed = json(await archiver(at.home, ['resume', 'clean', '--completed', '--json']));
  const dry = json(await archiver(at.home, ['resume', 'clean', '--older-than', '0', '--dry-run', '--json']));
  const chunks = chunksIn(at.base);
  const all = json(await archiver(at.home, ['resume', 'clean', '--older-than', '0', '--json']));

  expect([young['removed'], completed['removed']]).toEqual([[], []]);
  expect(dry['removed']).toHaveLength(1);
  expect(all['removed']).toHaveLength(1);
  // What was being written when it was killed stays for an hour.
  expect(readdirSync(at.state).filter((name) => !/^\..*\.json\.[0-9a-f]{12}$/.test(name))).toEqual([]);
  expect(chunksIn(at.base)).toEqual(chunks);
});

test('clean keeps what cannot be read, and says what could not be removed', async () => {
  const at = await place(1);
  const id = '20260304-050607-01020304';
  mkdirSync(join(at.state, `${id}.json`), { recursive: true });
  const unread = await archiver(at.home, ['resume', 'clean', '--older-than', '0', '--json']);
  rmSync(join(at.state, `${id}.json`), { recursive: true });
  writeFileSync(join(at.state, `${id}.json`), 'torn');
  mkdirSync(join(at.state, `${id}.entries`));
  const unremoved = await archiver(at.home, ['resume', 'clean', '--older-than', '0']);

  expect(json(unread)).toMatchObject({ removed: [], keptCount: 1 });
  expect(unremoved).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/cannot remove .*\.entries \(ERR_FS_EISDIR\)/),
  });
});

test('an upload that was stopped between its commit and its state is complete', async () => {
  const at = await place(2);
  await killed(at, ['upload', at.source, at.url]);
  const id = (entriesOf(at.state) ?? '').slice(0, 24);
  const path = join(at.state, `${id}.json`);
  const complete = { ...parseState(readFileSync(path, 'utf8'), id, path), status: 'complete' } as const;
  const { sha256: _digest, format: _format, type: _type, ...state } = complete as unknown as Record<string, unknown>;
  const text = encodeState(state as unknown as UploadState);
  writeFileSync(path, text);
  const listed = json(await archiver(at.home, ['resume', 'list', '--json']));

  const resumed = await archiver(at.home, ['resume', '--json']);
  const left = readdirSync(at.state);
  writeFileSync(path, text);
  const cleaned = json(await archiver(at.home, ['resume', 'clean', '--completed', '--json']));

  expect(listed['uploads']).toMatchObject([{ uploadId: id, status: 'complete' }]);
  expect(resumed.status).toBe(0);
  expect(json(resumed)).toMatchObject({ uploadId: id, alreadyComplete: true });
  expect(left).toEqual([]);
  expect(cleaned['removed']).toEqual([{ uploadId: id, status: 'complete' }]);
});

test.each([
  ['y', 'interrupted run'],
  ['', 'interrupted run'],
  ['n', 'new one'],
])('on a terminal it asks, and "%s" means the %s', async (answer, which) => {
  const at = await place(4);
  await killed(at, ['upload', at.source, at.url]);
  const id = (entriesOf(at.state) ?? '').slice(0, 24);

  const { status, text } = await onTerminal(
    at.home,
    ['upload', at.source, at.url, '--progress-format', 'none', ...SLOW],
    ['Resume it? [Y/n]', answer],
  );

  expect(status).toBe(0);
  const [, made = ''] = /\/uploads\/(\S+)/.exec(text) ?? [];
  const manifest = gunzipSync(
    readFileSync(join(fileURLToPath(at.url), 'uploads', made, 'manifest.json.gz')),
  ).toString();
  // A run that goes on has an id of its own, and refers to what was sent under the other one.
  expect(manifest.includes(`"../${id}/`)).toBe(which === 'interrupted run');
});

test('a state folder that cannot be written stops nothing and is told once', async () => {
  const at = await place(4);
  mkdirSync(join(at.home, '.archiver'));
  writeFileSync(at.state, 'in the way');

  const { status, stderr } = await archiver(at.home, ['upload', at.source, at.url, '--quiet']);

  expect(status).toBe(0);
  expect(stderr.split('\n').filter((line) => line.includes('cannot be saved'))).toHaveLength(1);
});

describe('create upload', () => {
  /** Kills one in the middle; gives the arguments that it had. */
  const killed = async (at: Place): Promise<string[]> => {
    const args = ['create', 'upload', at.source, '--bucket', at.url, '--workers', '1', '--chunk-size-mb', '5'];
    const child = start(at.home, [...args, '--limit-upload', '12MiB']);
    await untilNoted(at.state);
    child.kill('SIGKILL');
    await ended(child);
    return args;
  };

  test('several folders lie under their names, and one as it is', async () => {
    const at = await place(2);
    const other = makeFolder(at.home, 'other');
    writeFileSync(join(other, 'x'), 'x');

    const two = json(await archiver(at.home, ['create', 'upload', at.source, other, '--bucket', at.url, '--json']));
    const one = json(
      await archiver(at.home, ['create', 'upload', other, '--bucket', at.url, '--prefix', 'p', '--json']),
    );

    const out = join(at.home, 'out');
    await archiver(at.home, ['restore', String(two['location']), out, '--all']);
    expect(readdirSync(out).sort()).toEqual(['other', 'source']);
    expect(describeTree(rawFromText(join(out, 'source')))).toEqual(describeTree(rawFromText(at.source)));
    expect(String(one['location'])).toContain('/store/p/uploads/');
    const listed = json(await archiver(at.home, ['list', String(one['location']), '--json']));
    expect(listed['contents']).toMatchObject([{ path: 'x' }]);
    expect(one['datasetId']).not.toBe(two['datasetId']);
  });

  test('two folders of one name are refused', async () => {
    const at = await place(1);
    const other = makeFolder(at.home, 'elsewhere', 'source');

    const { status, stderr } = await archiver(at.home, ['create', 'upload', at.source, other, '--bucket', at.url]);

    expect(status).toBe(2);
    expect(stderr).toContain('would both be archived as source/');
  });

  test('killed, it goes on with --resume', async () => {
    const at = await place();
    const args = await killed(at);
    const [before, noted] = [inodes(at), await notedIn(at)];

    // The settings are those that it began with; what is typed must fit them.
    const untyped = args.slice(0, 5);
    const other = await archiver(at.home, [...untyped, '--resume', '--chunk-size-mb', '6']);
    const resumed = await archiver(at.home, [...untyped, '--resume', '--json', '--quiet']);

    expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining('other settings: --chunk-size-mb') });
    expect(resumed.status).toBe(0);
    expectNothingTwice(before, at, json(resumed), noted);
    await expectRestored(at, json(resumed)['location']);
  });

  test('--skip-existing goes on with what only the store knows', async () => {
    const at = await place();
    const args = await killed(at);
    const before = inodes(at);
    const id = (entriesOf(at.state) ?? '').slice(0, 24);
    await archiver(at.home, ['resume', 'clean', '--older-than', '0']);

    const without = await archiver(at.home, [...args, '--resume', '--upload-id', id]);
    // What was sent a moment ago may still be taken back by whoever sends it.
    const longAgo = new Date(Date.now() - 3 * 3_600_000);
    for (const key of filesBelow(at.base)) utimesSync(join(at.base, key), longAgo, longAgo);
    const resumed = await archiver(at.home, [...args, '--resume', '--upload-id', id, '--skip-existing', '--json']);

    expect(without).toMatchObject({ status: 1, stderr: expect.stringContaining('--skip-existing') });
    expect(json(resumed)['uploadId']).not.toBe(id);
    expectNothingTwice(before, at, json(resumed), before.size);
    await expectRestored(at, json(resumed)['location']);
  });

  test('chunks that cannot fit memory are refused with what fits', async () => {
    const at = await place(1);

    const { status, stderr } = await archiver(at.home, [
      'create',
      'upload',
      at.source,
      '--bucket',
      at.url,
      '--chunk-size-mb',
      '2000',
      '--memory-limit',
      '1GiB',
    ]);

    expect(status).toBe(2);
    expect(stderr).toMatch(/chunks of 2000 MB with 4 workers need \d+ MiB of memory.*1024 MiB/);
  });

  test.each([
    [[], 0, 0],
    [['--no-cleanup'], 2, 1],
  ] as const)('a failure with %j leaves %i chunks', async (flags, chunks, states) => {
    const at = await place(6);
    const s3 = await startMemoryS3('bucket');
    const proxy = await startFaultProxy(s3.endpoint);
    onTestFinished(async () => {
      await proxy.close();
      await s3.close();
    });
    proxy.inject({ operation: 'PutObject', skip: 2, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' };
    const args = ['create', 'upload', at.source, '--bucket', 'bucket', '--endpoint-url', proxy.endpoint];

    const run = [...args, '--workers', '1', '--chunk-size-mb', '5', ...flags];
    const { status } = await archiverProcess(at.home, run, { env });

    expect(status).toBe(1);
    expect([...(s3.buckets.get('bucket')?.keys() ?? [])]).toHaveLength(chunks);
    expect(readdirSync(at.state).filter((name) => name.endsWith('.json'))).toHaveLength(states);
  });
});
