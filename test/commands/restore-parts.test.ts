import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command as restore } from '../../src/commands/restore.js';
import { command as check } from '../../src/commands/restore/jobs/check.js';
import { command as download } from '../../src/commands/restore/jobs/download.js';
import { makeColdArchive } from '../support/cold-archive.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([restore, check, download], [{ path: 'restore jobs', summary: 'jobs' }], 'test');

test('a part requests its own chunks from cold storage, and its job restores them', async () => {
  const [cold, folder] = [await makeColdArchive(['GLACIER', 'GLACIER']), await tempFolder()];
  const out = join(folder, 'out');
  const run = async (...argv: string[]): Promise<Record<string, unknown>> =>
    json((await runCommand({ root, folder }, [...argv, '--json', '--quiet'])).stdout);
  const target = [`s3://cold/uploads/${cold.archive.uploadId}`, out, '--all', '--endpoint-url', cold.s3.endpoint];

  const first = await run('restore', ...target, '--part', '1/2');
  const asked = cold.requests()['RestoreObject'];
  const second = await run('restore', ...target, '--part', '2/2');
  cold.finishThaws();
  const checked = await run('restore', 'jobs', 'check');
  const restored = await run('restore', 'jobs', 'download', String(second['jobId']));
  const alone = readdirSync(out);
  await run('restore', 'jobs', 'download', String(first['jobId']));

  expect([asked, cold.requests()['RestoreObject']]).toEqual([1, 1]);
  expect([first, second]).toMatchObject([
    { part: 1, partCount: 2, coldChunks: [{ key: cold.chunkKey(0) }] },
    { part: 2, partCount: 2, coldChunks: [{ key: cold.chunkKey(1) }] },
  ]);
  expect(checked).toMatchObject({ jobs: [{ selectors: { partCount: 2 } }, { selectors: { partCount: 2 } }] });
  expect(restored).toMatchObject({ status: 'completed', files: 1 });
  expect([alone, readdirSync(out).sort()]).toEqual([['file-1'], ['file-0', 'file-1']]);
});
