import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { readLedger } from '../../src/core/money/ledger/ledger.js';
import { makeColdArchive } from '../support/cold-archive.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

test('asking, asking again and downloading leave records in the ledger', async () => {
  const cold = await makeColdArchive(['GLACIER']);
  const folder = await tempFolder();
  const run = (...argv: readonly string[]) => runCommand({ root: program(), folder }, ['restore', ...argv, '--quiet']);
  const { uploadId } = cold.archive;
  const place = [`s3://cold/uploads/${uploadId}`, 'out', '--endpoint-url', cold.s3.endpoint];
  const id = String(json((await run(...place, '--all', '--json')).stdout)['jobId']);
  cold.finishThaws(-1);
  await run('jobs', 'check');
  await run('jobs', 'check', id, '--thaw-again');
  cold.finishThaws();
  await run('jobs', 'check');
  await run('jobs', 'download', id);

  const { records } = await readLedger(join(folder, 'home', 'ledger'));
  const about = { storageClass: 'GLACIER', way: 'standard' };
  const paid = expect.arrayContaining([
    { kind: 'restore', ...about, quantity: 1 },
    { kind: 'retrieval', ...about, quantity: cold.chunk(0).body.length },
  ]) as unknown;
  expect(records).toMatchObject([
    { operation: 'restore', outcome: 'done', files: 0, used: paid },
    { operation: 'thaw', outcome: 'done', used: paid },
    { operation: 'restore', outcome: 'done', files: 1, uploadId },
  ]);
  expect(records[2]?.used.map(({ kind }) => kind)).not.toContain('restore');
});
