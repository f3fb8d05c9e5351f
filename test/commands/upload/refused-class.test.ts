// A storage class that the store does not have, as people hear of it.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

let s3: MemoryS3;
let folder = '';
beforeEach(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'a'), 'content');
});

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand(
    { root: program(), folder, input: '', env: { AWS_ENDPOINT_URL: s3.endpoint, AWS_REGION: 'us-east-1' } },
    argv,
  );
/** Of a writer that may not list, so that nobody asks before the first chunk. */
const refuses = (mayList: boolean): void => {
  s3.rules.answer = (operation, { headers }) => {
    if (!mayList && operation === 'ListObjectsV2') return errorAnswer(403, 'AccessDenied');
    return headers['x-amz-storage-class'] === undefined ? undefined : errorAnswer(400, 'InvalidStorageClass');
  };
};

test.each([
  ['upload', ['upload', './data', 's3://bucket/p', '--storage-class', 'GLACIER', '--yes']],
  ['sync', ['sync', './data', 's3://bucket/p', '--storage-class', 'DEEP_ARCHIVE']],
  ['create upload', ['create', 'upload', './data', 's3://bucket/p', '--storage-class', 'GLACIER']],
])('%s ends with 1 and one sentence, and saves nothing to go on with', async (_name, argv) => {
  for (const mayList of [true, false]) {
    refuses(mayList);

    const { status, stdout, stderr } = await run(...argv, '--json');

    expect(status).toBe(1);
    expect(json(stdout)).toMatchObject({
      error: {
        code: 'unsupported',
        message: expect.stringMatching(/does not have storage class (?:GLACIER|DEEP_ARCHIVE)/) as string,
        hint: expect.stringContaining('leave the storage class out') as string,
      },
    });
    expect(stderr).not.toContain('resume');
    const state = join(folder, 'home', 'state');
    expect(existsSync(state) ? readdirSync(state) : []).toEqual([]);
  }
});
