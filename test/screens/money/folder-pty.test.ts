// `archiver analyze PATH` as a person has it: the built program in a real terminal.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI } from '../../e2e/upload-cli.js';
import { expectClean, expectFits } from '../../support/full-screen.js';
import { openSession } from '../../support/terminal-session.js';
import { tempFolder } from '../../support/temp-folder.js';

async function start(...more: readonly string[]) {
  const folder = await tempFolder();
  for (const name of ['new', 'old']) {
    mkdirSync(join(folder, 'data', name), { recursive: true });
    writeFileSync(join(folder, 'data', name, 'a'), name.repeat(name === 'new' ? 1000 : 100));
  }
  utimesSync(join(folder, 'data/old/a'), new Date(0), new Date(0));
  const env = { TERM: 'xterm-256color', LANG: 'C.UTF-8', HOME: folder, ARCHIVER_HOME: join(folder, '.archiver') };
  const args = [CLI, 'analyze', './data', '--upload-to', 's3://acme/lab', ...more];
  return { folder, session: openSession(args, { cwd: folder, env, columns: 120 }) };
}

test('marks a folder, and leaves its upload line and a clean terminal', async () => {
  const { folder, session } = await start();
  await session.until('nothing marked');
  expect(await session.isAlternate()).toBe(true);
  session.type('j ');
  await session.until('1 marked, 300 B');
  await expectFits(session);
  session.resize(120, 30);
  await session.until('1 marked, 300 B');
  session.type('q');

  expect(await session.exited).toBe(0);
  await expectClean(session);
  await session.until(`archiver upload ${folder}/data/old s3://acme/lab --storage-class `);
});

test('--once prints on a terminal', async () => {
  const { session } = await start('--once');

  expect(await session.exited).toBe(0);
  await session.until('To upload the folders above');
  expect(await session.isAlternate()).toBe(false);
});
