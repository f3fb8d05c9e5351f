// `archiver browse` as a person has it: the built program in a real terminal, on a store in a folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiver, CLI } from '../../e2e/upload-cli.js';
import { type ColdArchive, makeColdArchive } from '../../support/cold-archive.js';
import { expectClean, expectFits } from '../../support/full-screen.js';
import { openSession, type TerminalSession } from '../../support/terminal-session.js';

const HOSTILE = 'evil\u001b[41m\u0007.txt';
const DOWN = '\u001b[B';
const END = '\u001b[F';
const ESC = '\u001b';

let folder: string;
let source: string;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-browse-'));
  source = join(folder, 'source');
  for (const name of ['data/features', 'models/run-12']) mkdirSync(join(source, name), { recursive: true });
  for (let n = 0; n < 40; n++)
    writeFileSync(join(source, `data/features/part-${String(n).padStart(3, '0')}.csv`), `part,${n}\n`.repeat(n + 1));
  writeFileSync(join(source, 'models/run-12/model.bin'), Buffer.alloc(300_000, 7));
  writeFileSync(join(source, 'README.md'), 'first line\nsecond line\n');
  writeFileSync(join(source, HOSTILE), 'x');
  url = `file://${folder}/store`;
  for (const change of [() => undefined, () => writeFileSync(join(source, 'new.txt'), 'new')]) {
    change();
    const ran = await archiver(folder, ['sync', source, url, '--dataset-id', 'lab', '--json']);
    if (ran.status !== 0) throw new Error(ran.stderr);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

const ENV = { TERM: 'xterm-256color', LANG: 'C.UTF-8' };

function browse(
  more: readonly string[] = [],
  options: Partial<Parameters<typeof openSession>[1]> = {},
): TerminalSession {
  const env = { ...ENV, HOME: folder, ARCHIVER_HOME: join(folder, '.archiver'), ...options.env };
  return openSession([CLI, 'browse', url, ...more, '--dataset-id', 'lab'], { cwd: folder, ...options, env });
}

describe('archiver browse in a terminal', () => {
  it('shows the versions of a file, compares two, opens the older one at the file, and restores it', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    for (const text of ['one\ntwo\n', 'one\n2\n']) {
      writeFileSync(join(other, 'notes.txt'), text);
      expect((await archiver(folder, ['sync', other, url, '--dataset-id', 'notes', '--json'])).status).toBe(0);
    }
    const env = { ...ENV, HOME: folder, ARCHIVER_HOME: join(folder, '.archiver') };
    const session = openSession([CLI, 'browse', url, './notes-out', '--dataset-id', 'notes'], { cwd: folder, env });
    await session.until(/ 1 of 1$/);
    session.type('H');
    await session.until('~ modified');
    session.type('D');
    await session.until('- two');
    session.type(ESC);
    await session.until('+ added');
    session.type(`${DOWN}\r`);
    await session.until('notes v1');
    session.type(' \r');
    await session.until('Restore 1 file');
    session.type('\r');
    await session.until('Restored 1 file');
    session.type('q');

    expect(await session.exited).toBe(0);
    expect(readFileSync(join(folder, 'notes-out', 'notes.txt'), 'utf8')).toBe('one\ntwo\n');
    await expectClean(session);
  });

  it('marks files, asks, restores them byte for byte, and leaves lines and a clean terminal', async () => {
    const session = browse(['./out']);
    await session.until(/ 1 of 44$/);
    expect(await session.isAlternate()).toBe(true);
    session.type('/part-01');
    await session.until(/ 10 of 44$/);
    session.type('\ra');
    await session.until('10 selected');
    session.type(ESC);
    await session.until('search: none');
    session.type(END);
    await session.until(/ 44 of 44$/);
    session.type(' \r');
    await session.until('Restore 11 files');
    await session.until('to ./out?');
    session.type('\r');
    await session.until('Restored 11 files');
    session.type('q');

    expect(await session.exited).toBe(0);
    await expectClean(session);
    const lines = await session.screen();
    expect(lines[0]).toMatch(/^✓ Restored 11 files, .* to .*\/out, in /);
    expect(lines.join('\n')).not.toContain('archiver browse');
    for (const name of ['data/features/part-010.csv', 'data/features/part-019.csv', 'new.txt'])
      expect(readFileSync(join(folder, 'out', name))).toEqual(readFileSync(join(source, name)));
    expect(
      execFileSync('find', [join(folder, 'out'), '-type', 'f'])
        .toString()
        .split('\n'),
    ).toHaveLength(12);
  });

  it('restores everything when everything is marked', async () => {
    const session = browse(['./all']);
    await session.until(/ 1 of 44$/);
    session.type('a\r');
    await session.until('Restore 44 files');
    session.type('\r');
    await session.until('Restored 44 files');
    session.type('\rq');

    expect(await session.exited).toBe(0);
    expect(spawnSync('diff', ['-r', source, join(folder, 'all')], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('counts keys that come in one chunk, takes a paste into the search, and quits with ctrl+c', async () => {
    const session = browse();
    await session.until(/ 1 of 44$/);
    session.type('j'.repeat(30) + DOWN.repeat(3) + 'k');
    await session.until(/ 33 of 44$/);
    session.type('/');
    await session.until('search: part of a path');
    session.type('\u001b[200~part-03\u001b[201~');
    await session.until(/ 10 of 44$/);
    session.type('\u0003');

    expect(await session.exited).toBe(0);
    await expectClean(session);
    expect(await session.screen()).toEqual([]);
  });

  it('follows the window, also one that is too small, and comes back', async () => {
    const session = browse([], { columns: 80, rows: 24 });
    await session.until(/ 1 of 44$/);
    session.type('jjj');
    await session.until(/ 4 of 44$/);
    await expectFits(session, (lines) => expect(lines.at(-2)).toContain('4 of 44'));
    await session.until('Make the window larger, or q to quit.');
    session.resize(80, 24);
    await session.until(/^ 0 selected .* 4 of 44$/);
    expect((await session.screen())[2]).toBe('─'.repeat(80));
    session.resize(40, 8);
    await session.until('this is 40x8');
    session.type('q');

    expect(await session.exited).toBe(0);
    await expectClean(session);
  });

  it('shows details with the first lines, the tree, and the version before with what changed', async () => {
    const session = browse();
    await session.until(/ 1 of 44$/);
    session.type('i');
    await session.until('second line');
    session.type(ESC);
    await session.until('MODIFIED');
    session.type('t');
    await session.until('▸ data/');
    session.type('t');
    await session.until('part-001.csv');
    session.type('v');
    await session.until('dataset lab v1');
    await session.until('the first version');
    session.type('V');
    await session.until('dataset lab v2 (HEAD)');
    await session.until('+1 ~0 -0 since v1');
    session.type(END);
    expect((await session.until(/ 44 of 44$/)).join('\n')).toContain('▸[ ]+  new.txt');
    session.type('V');
    await session.until('v2 is the newest version');
    session.type('?');
    await session.until('Keys in browse');
    session.type('?q');

    expect(await session.exited).toBe(0);
  });

  it('shows what was removed since the version before, and restores it from there', async () => {
    const kept = join(folder, 'kept');
    mkdirSync(kept);
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(kept, name), `${name} of version 1\n`);
    const sync = ['sync', kept, url, '--dataset-id', 'kept', '--track-deletes', '--json'];
    expect((await archiver(folder, sync)).status).toBe(0);
    rmSync(join(kept, 'b.txt'));
    expect((await archiver(folder, sync)).status).toBe(0);
    const session = openSession([CLI, 'browse', url, './back', '--dataset-id', 'kept'], {
      cwd: folder,
      env: { ...ENV, HOME: folder, ARCHIVER_HOME: join(folder, '.archiver') },
      columns: 120,
      rows: 40,
    });
    await session.until(/ 1 of 1$/);
    await session.until('a.txt of version 1'); // beside the list, once the cursor has rested
    session.type('D');
    await session.until(/- b\.txt .* gone/);
    session.type(' \r');
    await session.until(/Restore 1 file, .* from v1 to \.\/back\?/);
    session.type('\r');
    await session.until('Restored 1 file');
    session.type('q');

    expect(await session.exited).toBe(0);
    await expectClean(session);
    expect(readFileSync(join(folder, 'back/b.txt'), 'utf8')).toBe('b.txt of version 1\n');
  });

  it('escapes names that would act on the terminal', async () => {
    const session = browse();
    await session.until(/ 1 of 44$/);
    session.type('/evil');
    await session.until('evil\\x1b[41m\\x07.txt');
    session.type('\r \r');
    await session.until('Restore 1 file');
    session.type(ESC);
    await session.until('MODIFIED');
    session.type('i');
    await session.until('md5');
    session.type('q');
    await session.exited;

    expect(session.written()).not.toContain('\u001b[41m');
    expect(session.written()).not.toContain('\u0007');
  });

  it('colours with 16 foreground colours and inverse, and no colours at all with NO_COLOR', async () => {
    const coloured = browse();
    await coloured.until(/ 1 of 44$/);
    coloured.type(' q');
    await coloured.exited;
    const plain = browse([], { env: { NO_COLOR: '1' } });
    await plain.until(/ 1 of 44$/);
    plain.type(' ');
    expect((await plain.until('1 selected')).join('\n')).toContain('▸[x]');
    plain.type('q');
    await plain.exited;

    const codes = (text: string): string[] =>
      text.split('\u001b[').flatMap((part) => /^([\d;]*)m/.exec(part)?.[1] ?? []);
    for (const code of codes(coloured.written()))
      expect(['0', '1', '2', '22', '7', '27', '31', '32', '33', '36', '39']).toContain(code);
    // Inverse is no colour, and the cursor of the search has no other sign.
    expect(new Set(codes(plain.written()))).toEqual(new Set(['7', '27']));
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('leaves the terminal as it was on %s', async (signal, status) => {
    const session = browse();
    await session.until(/ 1 of 44$/);
    session.kill(signal);

    expect(await session.exited).toBe(status);
    await expectClean(session);
    expect((await session.screen()).join('\n')).not.toContain('part-000');
  });

  it('leaves the terminal and says what is wrong when there is nothing to open', async () => {
    const session = openSession([CLI, 'browse', `${url}/uploads/20250101-000000-00000000`], {
      cwd: folder,
      env: { ...ENV, HOME: folder },
    });

    expect(await session.exited).toBe(1);
    await expectClean(session);
    expect((await session.screen()).join('\n')).toMatch(/^✗ there is no upload here: /);
  });

  it('opens the version of --version or --as-of, or says that there was none', async () => {
    const first = browse(['--version', '1', '--cache-gb', '1']);
    await first.until('v1');
    await first.until(/ 1 of 43$/);
    first.type('q');
    const before = browse(['--as-of', '2000-01-01']);

    expect(await first.exited).toBe(0);
    expect(await before.exited).toBe(1);
    expect((await before.screen()).join('\n')).toContain('2000-01-01');
  });
});

describe('archiver browse of what lies in cold storage', () => {
  const browseCold = async (more: readonly string[] = []): Promise<[ColdArchive, TerminalSession]> => {
    const cold = await makeColdArchive(['STANDARD', 'GLACIER', 'GLACIER']);
    const env = {
      ...ENV,
      HOME: folder,
      ARCHIVER_HOME: join(folder, 'cold-home'),
      AWS_ENDPOINT_URL: cold.s3.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
    const upload = `s3://cold/uploads/${cold.archive.uploadId}`;
    return [
      cold,
      openSession([CLI, 'browse', upload, './cold', '--region', 'us-east-1', ...more], { cwd: folder, env }),
    ];
  };

  it('says what is cold and how long it takes, asks it back, saves a job and names it', async () => {
    const [cold, session] = await browseCold(['--restore-days', '3']);
    await session.until(/ 1 of 3$/);
    session.type('j ');
    await session.until(/ 1 selected {2}4\.9 KiB {2}est\. \S+ {2}1 cold, standard tier 3-5 h/);
    session.type('\r');
    await session.until(/▸ standard +(today|tomorrow) \d\d:\d\d +\S+ /);
    // The manifest and whether a record names it, and nothing else until somebody asks.
    expect(cold.requests()).toEqual({ GetObject: 1, ListObjectsV2: 2 });
    session.type('ttt\r'); // round through the tiers
    await session.until('1 chunk of 1 on the way back');
    session.type('q');

    expect(await session.exited).toBe(0);
    await expectClean(session);
    const text = (await session.screen()).join('\n');
    const [, jobId = ''] = /archiver restore jobs check (rj-[0-9a-f]{8})/.exec(text) ?? [];
    expect(cold.requests()).toEqual({ GetObject: 1, ListObjectsV2: 2, HeadObject: 1, RestoreObject: 1 });
    const job = JSON.parse(readFileSync(join(folder, `cold-home/restore-jobs/${jobId}.json`), 'utf8')) as object;
    expect(job).toMatchObject({
      status: 'pending',
      selectors: { paths: ['file-1'] },
      tier: 'standard',
      restoreDays: 3,
    });
  });

  it.each([
    ['SIGTERM', (session: TerminalSession) => session.kill('SIGTERM'), 143],
    ['q', (session: TerminalSession) => session.type('q'), 130],
    ['ctrl+c', (session: TerminalSession) => session.type('\u0003'), 130],
  ] as const)('waits with --wait, and on %s names the job that goes on', async (_name, stop, status) => {
    const [, session] = await browseCold(['--wait']);
    await session.until(/ 1 of 3$/);
    session.type('j \r');
    await session.until('this waits until all of it can be read');
    session.type('\r');
    await session.until('0 of 1 chunk readable');
    stop(session);

    expect(await session.exited).toBe(status);
    await expectClean(session);
    expect((await session.screen()).join('\n')).toMatch(/archiver restore jobs check rj-[0-9a-f]{8}/);
  });

  it('asks for nothing under a cap when prices of the server are not known', async () => {
    const [cold, session] = await browseCold(['--max-restore-cost', '0']);
    await session.until(/ 1 of 3$/);
    session.type('a\r');
    await session.until('the cost is not known, and --max-restore-cost is given');
    cold.requests();
    session.type('\r');
    await session.until((lines) => lines.at(-2)?.includes('the cost is not known, and --max-restore-cost') === true);
    session.type(ESC);
    await session.until('MODIFIED');
    session.type('q');

    expect(await session.exited).toBe(0);
    expect(cold.requests()).toEqual({});
  });

  it('shows what fails, and exits as restore does', async () => {
    const [cold, session] = await browseCold();
    await session.until(/ 1 of 3$/);
    cold.chunk(0).body = Buffer.from(cold.chunk(0).body.map((byte, at) => (at === 100 ? byte ^ 1 : byte)));
    session.type(' \r');
    await session.until('Restore 1 file');
    session.type('\r');
    await session.until('back to the list');
    session.type('q');

    expect(await session.exited).toBe(1);
    expect((await session.screen()).join('\n')).toMatch(/failed .*file-0/);
  });
});

describe('archiver browse without a terminal', () => {
  it('is a usage error that names the command for scripts', async () => {
    const piped = await archiver(folder, ['browse', url, '--dataset-id', 'lab']);
    const json = await archiver(folder, ['browse', url, '--dataset-id', 'lab', '--json']);

    expect([piped.status, json.status]).toEqual([2, 2]);
    expect(piped.stderr).toContain('browse needs a terminal');
    expect(piped.stderr).toContain('archiver list');
    expect(piped.stdout).toBe('');
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'usage' } });
  });
});
