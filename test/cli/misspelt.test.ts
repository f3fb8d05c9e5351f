import { expect, test } from 'vitest';
import { envNames } from '../../src/cli/env-names.js';
import { warnOfMisspelt } from '../../src/cli/misspelt.js';
import { findNode } from '../../src/cli/tree.js';
import { programFor } from '../../src/commands/called.js';
import { program } from '../../src/commands/index.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

async function told(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const lines: string[] = [];
  // A call of `list` has loaded nothing else.
  const root = await programFor(['list']);
  const command = findNode(root, ['list'])?.command;
  if (command === undefined) throw new Error('there is no list');
  await warnOfMisspelt({ root, command }, env, (text) => void lines.push(text));
  return lines;
}

test('a variable that is nearly one of ours is told, once', async () => {
  expect(await told({ ARCHIVER_BUCKT: 'b', ARCHIVER_UPLOAD_STORAGECLASS: 'STANDARD' })).toEqual([
    'ARCHIVER_BUCKT is no variable of archiver and does nothing; did you mean ARCHIVER_BUCKET?',
    'ARCHIVER_UPLOAD_STORAGECLASS is no variable of archiver and does nothing; did you mean ARCHIVER_UPLOAD_STORAGE_CLASS?',
  ]);
});

test('our own variables, and those of images and other programs, are not', async () => {
  const ours = { ARCHIVER_HOME: '/h', ARCHIVER_BUCKET: 'b', ARCHIVER_RESTORE_VERSION: '1', ARCHIVER_NO_LIBC: '1' };
  const others = { ARCHIVER_VERSION: '0.1.0', ARCHIVER_TAG: 'x', ARCHIVER_IMAGE_DIGEST: 'sha256:1', PATH: '/bin' };

  expect(await told({ ...ours, ...others })).toEqual([]);
});

test('a shell tells it at its start, and not again for each of its lines', async () => {
  const host = { root: program(), folder: await tempFolder(), env: { ARCHIVER_BUCKT: 'b' } };

  const { stderr } = await runCommand(host, ['shell', '-c', 'context list', '-c', 'context list']);

  expect(stderr.match(/did you mean ARCHIVER_BUCKET/g)).toHaveLength(1);
});

test('a variable means one thing: a flag that does not has only the variable of its command', () => {
  expect([envNames('cost report', 'budget'), envNames('cost exhaustion', 'budget')]).toEqual([
    ['ARCHIVER_COST_REPORT_BUDGET'],
    ['ARCHIVER_COST_EXHAUSTION_BUDGET'],
  ]);
});
