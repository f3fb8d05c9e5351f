// `archiver dashboard` as a person has it: the built program in a real terminal.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiver, CLI } from '../../e2e/upload-cli.js';
import { fillHome, lockUpload, savedId, saveUpload } from '../../support/dashboard-home.js';
import { expectClean, expectFits } from '../../support/full-screen.js';
import { openSession, type TerminalSession } from '../../support/terminal-session.js';

let folder: string;
let home: string;
let uploadId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-dashboard-'));
  home = join(folder, '.archiver');
  const source = join(folder, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'README.md'), 'hello');
  const ran = await archiver(folder, ['upload', source, `file://${folder}/store`, '--json']);
  uploadId = String((JSON.parse(ran.stdout) as Record<string, unknown>)['uploadId']);
  await fillHome(home, new Date(), { days: 2, budgets: 40, uploads: 30 });
});

afterAll(() => rmSync(folder, { recursive: true }));

const dashboard = (...args: readonly string[]): TerminalSession =>
  openSession([CLI, 'dashboard', ...args], { cwd: folder, env: { HOME: folder, ARCHIVER_HOME: home } });

it('shows views, rows and filters by keys that come in chunks, follows every size of the window, and leaves a clean terminal', async () => {
  const session = dashboard(`file://${folder}/store`);
  await session.until(/genomics-2025 .* 82%/);
  await session.until('UPLOADS IN PROGRESS  30');
  expect(await session.isAlternate()).toBe(true);
  session.type(`3${'j'.repeat(40)}kk`);
  await session.until('28 of 30');
  session.type('/f000');
  await session.until('14 of 16, 30 in all');
  session.type('\r\t\u001b[Z');
  await session.until('14 of 16, 30 in all');
  // A storm: what is drawn in the end fits the last size.
  for (let at = 0; at < 30; at++) session.resize(60 + ((at * 37) % 140), 15 + ((at * 11) % 35));
  await expectFits(session);
  session.resize(80, 24);
  await session.until('14 of 16, 30 in all');
  session.type('2Q');

  expect(await session.exited).toBe(0);
  await expectClean(session);
});

it('follows an upload that runs on this computer, and shows what was recorded meanwhile at the next refresh', async () => {
  await saveUpload(home, 40, new Date());
  await lockUpload(home, 40, hostname());
  const session = dashboard('--view', 'uploads', '--refresh', '1s');
  await session.until(new RegExp(`▸${savedId(40)} +running `));
  await saveUpload(home, 40, new Date(), {
    done: { files: 13_000, bytes: 115 * 2 ** 30, chunks: 9999, storedBytes: 5 },
  });
  await session.until('9 999 of 12 000 sent, stored as 5 B');
  rmSync(join(home, 'state', `${savedId(40)}.lock`));
  await session.until(new RegExp(`${savedId(40)} +interrupted`));
  rmSync(join(home, 'state', `${savedId(40)}.json`));
  await session.untilGone(savedId(40));
  session.type('q');

  expect(await session.exited).toBe(0);
  await expectClean(session);
});

it('opens the browser on an upload and comes back to the same place; what the browser cannot open is told', async () => {
  for (const [n, id] of [
    [50, uploadId],
    [51, '20990101-000000-00000000'],
  ] as const)
    await saveUpload(home, n, new Date(), {
      status: 'complete',
      storeUrl: `file://${folder}/store`,
      uploadIds: [id as never],
    });
  const session = dashboard('--view', 'uploads');
  await session.until('1 of 32');
  session.type('s');
  await session.until('by newest');
  session.type('/f0032\rb');
  await session.until('README.md');
  session.type('q');
  await session.until('by newest  1 of 1, 32 in all');
  session.type('/\u0015f0033');
  await session.until('filter: f0033');
  session.type('\rb');
  await session.until(/^ ▲ there is no upload here/);
  session.type('\u0003');

  expect(await session.exited).toBe(0);
  await expectClean(session);
  for (const n of [50, 51]) rmSync(join(home, 'state', `${savedId(n)}.json`));
});

it.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends it with status %i, and the terminal is as it was', async (signal, status) => {
  const session = dashboard();
  await session.until('UPLOADS IN PROGRESS');
  session.kill(signal);

  expect(await session.exited).toBe(status);
  await expectClean(session);
});
