import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command as resume } from '../../src/commands/resume.js';
import { command as list } from '../../src/commands/resume/list.js';
import { encodeState } from '../../src/core/archive/resume/upload-state.js';
import { SAMPLE_ID, SAMPLE_STATE } from '../core/archive/resume/sample-state.js';
import { ownHolder } from '../../src/core/platform/state/lock-holder.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([resume, list], [], 'test');

test('saved uploads are listed with the time since they began', async () => {
  const folder = await tempFolder();
  const states = join(folder, 'home', 'state');
  mkdirSync(states, { recursive: true });
  writeFileSync(join(states, `${SAMPLE_ID}.json`), encodeState(SAMPLE_STATE));
  const now = (): Date => new Date('2026-03-05T07:21:07Z');

  const { status, stdout } = await runCommand({ root, folder, now }, ['resume', 'list']);

  const [titles = '', row = ''] = stdout.split('\n');
  expect([status, titles.trim().split(/ {2,}/)]).toEqual([
    0,
    ['UPLOAD ID', 'STATUS', 'SOURCE', 'DESTINATION', 'FILES', 'SENT', 'ELAPSED', 'LEFT'],
  ]);
  const sent = ['1 of 3', '10 B of 30 B'];
  const cells = [SAMPLE_ID, 'interrupted', '/data/x', 'file:///store', ...sent, '1d 2h', '-'];
  expect(row.trim().split(/ {2,}/)).toEqual(cells);
});

test('one that another process works on is not called missing', async () => {
  const folder = await tempFolder();
  const states = join(folder, 'home', 'state');
  mkdirSync(states, { recursive: true });
  writeFileSync(join(states, `${SAMPLE_ID}.json`), encodeState(SAMPLE_STATE));
  writeFileSync(join(states, `${SAMPLE_ID}.lock`), JSON.stringify(ownHolder(hostname())));

  const { status, stderr } = await runCommand({ root, folder }, ['resume']);

  expect([status, stderr]).toEqual([1, expect.stringContaining(`is working on upload ${SAMPLE_ID}`)]);
});
