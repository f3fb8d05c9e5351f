import { beforeAll, beforeEach, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { startHook } from '../../support/hook-server.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
let folder = '';

beforeAll(useTestCredentials);

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, ['metrics', ...argv]);

test('without --test nothing is sent, and what would be is said', async () => {
  const server = await startHook();

  const { status, stdout } = await run('--endpoint-url', server.url);

  expect([status, server.requests]).toEqual([0, []]);
  expect(stdout).toContain('4 test metrics would be sent to CloudWatch in us-west-2');
  expect(stdout).toMatch(/namespace +Archiver\/Test/);
});

test('says with --json what it sends', async () => {
  const { stdout } = await run('--json', '--namespace', 'Lab/Test');

  expect(json(stdout)).toMatchObject({
    namespace: 'Lab/Test',
    region: 'us-west-2',
    isSent: false,
    metrics: [
      { name: 'TestCount', unit: 'Count', value: 1 },
      { name: 'TestBytes', unit: 'Bytes', value: 1024 },
      { name: 'TestSeconds', unit: 'Seconds', value: 1.5 },
      { name: 'TestPercent', unit: 'Percent', value: 85 },
    ],
  });
});

test('a refusal names the permission, and fails', async () => {
  const refusal = { __type: 'AccessDeniedException', message: 'no' };
  const server = await startHook([
    { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' }, body: JSON.stringify(refusal) },
  ]);

  const { status, stderr } = await run('--test', '--endpoint-url', server.url);

  expect([status, server.requests.length]).toEqual([1, 1]);
  expect(stderr).toContain('cloudwatch:PutMetricData');
});

test.each(['AWS/S3', ':own', 'a b'])('refuses the namespace %s', async (namespace) => {
  const { status, stderr } = await run('--namespace', namespace);

  expect(status).toBe(2);
  expect(stderr).toContain(`${namespace} cannot be a namespace of CloudWatch`);
});
