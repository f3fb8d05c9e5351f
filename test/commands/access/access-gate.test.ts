// `upload --check-access` against a server that knows none of the questions.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

test('an upload looks first, and sends nothing where access is as bad as --fail-on', async () => {
  useTestCredentials();
  const s3 = await startMemoryS3('acme');
  onTestFinished(() => s3.close());
  const folder = await tempFolder();
  await mkdir(join(folder, 'source'));
  await writeFile(join(folder, 'source', 'a.txt'), 'a');
  const env = { AWS_ENDPOINT_URL: s3.endpoint, NO_COLOR: '1' };
  const upload = async (...flags: readonly string[]) =>
    await runCommand({ root: program(), folder, env }, ['upload', './source', 's3://acme', '--json', ...flags]);

  const refused = await upload('--check-access', '--fail-on', 'unknown');
  const told = await upload('--check-access');
  const unasked = await upload();

  expect(refused).toMatchObject({ status: 4 });
  expect(refused.stderr).toContain('access to acme: ');
  expect(json(told.stdout)).toMatchObject({ version: 1, access: { findings: expect.any(Array) as unknown } });
  expect(json(unasked.stdout)).not.toHaveProperty('access');
});
