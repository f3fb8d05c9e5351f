// Against moto.
import { randomBytes } from 'node:crypto';
import { CloudWatchClient, ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import { beforeAll, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const endpoint = process.env['ARCHIVER_TEST_MOTO'] ?? '';

beforeAll(useTestCredentials);

test('metrics of a test arrive in the namespace and the region that were named', async () => {
  const namespace = `Archiver/${randomBytes(4).toString('hex')}`;
  const to = ['--namespace', namespace, '--region', 'eu-west-1', '--json'];

  const { status, stdout } = await runCommand(
    { root: program(), folder: await tempFolder(), env: { AWS_ENDPOINT_URL_CLOUDWATCH: endpoint } },
    ['metrics', '--test', ...to],
  );

  const client = new CloudWatchClient({ region: 'eu-west-1', endpoint });
  const { Metrics } = await client.send(new ListMetricsCommand({ Namespace: namespace }));
  client.destroy();
  expect([status, json(stdout)['isSent']]).toEqual([0, true]);
  expect(new Set(Metrics?.map(({ MetricName }) => MetricName))).toEqual(
    new Set(['TestCount', 'TestBytes', 'TestSeconds', 'TestPercent']),
  );
});
