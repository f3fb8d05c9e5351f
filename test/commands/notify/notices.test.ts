import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { startHook } from '../../support/hook-server.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();

async function world() {
  const folder = await tempFolder();
  const userHome = join(folder, 'user');
  await mkdir(join(folder, 'source'));
  await mkdir(userHome);
  await writeFile(join(folder, 'source', 'one'), 'one');
  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandRun> =>
    runCommand({ root, folder, userHome, env: { PATH: process.env['PATH'] ?? '', ...env }, input: '' }, argv);
  const configure = (text: string): Promise<void> => writeFile(join(userHome, '.archiver.yaml'), text);
  return { folder, userHome, run, configure };
}

const SYNC = ['sync', './source', './store', '--json'];

describe('a run that nobody watches', () => {
  test('pings, runs its hooks and writes metrics', async () => {
    const server = await startHook();
    const { folder, run, configure } = await world();
    await configure(
      [
        'hooks:',
        '  before: [/bin/sh, -c, "echo about to begin"]',
        '  after: /bin/sh -c \'echo "$ARCHIVER_HOOK_STATUS v$ARCHIVER_HOOK_VERSION $ARCHIVER_HOOK_UPLOAD_ID" > after\'',
        '  onFailure: /bin/false',
      ].join('\n'),
    );

    const { status, stdout, stderr } = await run([...SYNC, '--ping-url', `${server.url}/uuid`, '--textfile', 'a.prom']);

    const { uploadId, datasetId } = json(stdout);
    expect(status).toBe(0);
    expect(stderr).toContain('about to begin');
    expect(server.requests.map(({ path }) => path)).toEqual(['/uuid/start', '/uuid']);
    expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({
      command: 'sync',
      version: 1,
      uploadId,
      datasetId,
    });
    expect(await readFile(join(folder, 'after'), 'utf8')).toBe(`done v1 ${String(uploadId)}\n`);
    expect(await readFile(join(folder, 'a.prom'), 'utf8')).toContain(
      'archiver_run_success{command="sync",source="./source"',
    );
    expect(stderr).not.toContain('uuid');
  });

  test('tells of a run that failed, and keeps its exit status', async () => {
    const server = await startHook();
    const { folder, run, configure } = await world();
    await configure(
      'hooks:\n  shell: true\n  onFailure: echo "$ARCHIVER_HOOK_EXIT_STATUS $ARCHIVER_HOOK_PROBLEM" > failed\n',
    );
    await run(['budget', 'set', '--global', '--volume', '0.000000001']);

    const { status } = await run([...SYNC, '--ping-url', `${server.url}/uuid`]);

    expect(status).toBe(4);
    expect(server.requests.map(({ path }) => path)).toEqual(['/uuid/start', '/uuid/4']);
    expect(await readFile(join(folder, 'failed'), 'utf8')).toMatch(/^4 .*budget/);
  });

  test('tells of a folder that is not there, unless the hook before brings it', async () => {
    const server = await startHook();
    const { folder, run, configure } = await world();
    const call = ['./later', './store', '--ping-url', server.url, '--textfile', 'a.prom'];
    const gone = await run(['sync', ...call]);
    await configure('hooks:\n  before: /bin/mkdir later\n');

    const brought = await run(['upload', ...call]);

    expect([gone.status, brought.status]).toEqual([1, 0]);
    expect(gone.stderr).toContain('the source ./later does not exist');
    expect(server.requests.map(({ path }) => path)).toEqual(['/start', '/1', '/start', '/']);
    expect(await readFile(join(folder, 'a.prom'), 'utf8')).toMatch(
      /^archiver_run_exit_status\{command="sync",source="\.\/later",store="file:.*"\} 1$/m,
    );
  });

  test('is not begun where the hook before fails', async () => {
    const { run, configure } = await world();
    await configure('hooks:\n  before: /bin/false\n');

    const { status, stdout } = await run(SYNC);

    expect(status).toBe(1);
    expect(json(stdout)).toMatchObject({ error: { message: expect.stringContaining('nothing was uploaded') } });
    expect(json((await run(['dataset', 'list', './store', '--json'])).stdout)).not.toHaveProperty('datasets.0');
  });

  test('has none of it in a dry run', async () => {
    const server = await startHook();
    const { run, configure } = await world();
    await configure('hooks:\n  before: /bin/false\n');

    expect(await run([...SYNC, '--dry-run', '--ping-url', server.url])).toMatchObject({ status: 0 });
    expect(server.requests).toEqual([]);
  });

  test('takes no program from a folder that it happens to run in, nor from a variable', async () => {
    const { folder, run } = await world();
    const own = join(folder, '.archiver.yaml');
    await writeFile(own, 'hooks:\n  before: /bin/false\n');

    const refused = await run(SYNC);
    const named = await run(SYNC, { ARCHIVER_CONFIG: own });
    await writeFile(own, 'sync:\n  shardCount: 4\n');
    const variables = {
      ARCHIVER_BEFORE: '/bin/false',
      ARCHIVER_SYNC_BEFORE: '/bin/false',
      ARCHIVER_HOOKS_BEFORE: '/bin/false',
    };
    const harmless = await run(SYNC, variables);

    expect(refused.status).toBe(2);
    expect(refused.stdout).toContain('hooks.before in ');
    expect(refused.stdout).toContain('is not taken from the current folder');
    expect(named).toMatchObject({ status: 1 });
    expect(harmless).toMatchObject({ status: 0 });
  });

  test('refuses an address that is none, without repeating it', async () => {
    const { run } = await world();

    const { status, stdout, stderr } = await run([...SYNC, '--ping-url', 'hc-ping.com/secret-7']);

    expect(status).toBe(2);
    expect(stdout + stderr).toContain('--ping-url wants an address');
    expect(stdout + stderr).not.toContain('secret-7');
  });
});

describe('locks', () => {
  test.each([
    [['--object-lock', 'governance'], '--object-lock needs --retain'],
    [['--retain', '90d'], '--retain needs --object-lock'],
    [['--object-lock', 'governance', '--retain', '1h'], '--retain is from 1d to 36500d'],
    [['--object-lock', 'governance', '--retain', '90d'], 'nothing in a folder can be locked'],
  ])('%j is refused for a folder: %s', async (flags, text) => {
    const { run } = await world();

    for (const command of [
      ['sync', './source', './store'],
      ['upload', './source', './store'],
      ['create', 'upload', './source', '-b', './store'],
    ]) {
      const { status, stderr } = await run([...command, ...flags]);
      expect.soft(status).toBe(2);
      expect.soft(stderr).toContain(text);
    }
    const extended = await run(['fleet', 'lock-extend', './store', '--until', '9d']);
    expect(extended.status).toBe(2);
    expect(extended.stderr).toContain('nothing in a folder can be locked');
  });
});
