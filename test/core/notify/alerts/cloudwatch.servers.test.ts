// Against moto.
import { randomBytes } from 'node:crypto';
import { CloudWatchClient, GetMetricStatisticsCommand, ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import { beforeAll, expect, test } from 'vitest';
import { ALERT_TYPES, sampleAlert } from '../../../../src/core/notify/alerts/alert.js';
import { cloudwatchChannel } from '../../../../src/core/notify/alerts/channels/cloudwatch.js';
import { deliver } from '../../../../src/core/notify/alerts/deliver.js';
import { useTestCredentials } from '../../../support/open-s3.js';

const endpoint = process.env['ARCHIVER_TEST_MOTO'] ?? '';
const { signal } = new AbortController();
const now = new Date();

beforeAll(useTestCredentials);

test('alerts of every type become metrics, also more than one request holds', async () => {
  const namespace = `Archiver/${randomBytes(4).toString('hex')}`;
  const settings = { namespace, region: 'eu-west-1', profile: null, endpointUrl: endpoint };
  const channel = cloudwatchChannel(settings, { env: {}, network: { env: {}, ca: undefined }, now: () => now });
  const alerts = ALERT_TYPES.map((type) => ({ ...sampleAlert('warning', now), type, project: `génome ${type}` }));
  const storm = Array.from({ length: 1001 }, (_, at) => ({
    ...alerts[0]!,
    project: null,
    writerId: `w${at}`,
    costUsage: null,
    volumeUsage: null,
  }));

  const outcomes = await deliver([...alerts, ...storm], [channel], { signal });

  const client = new CloudWatchClient({ region: 'eu-west-1', endpoint });
  const Dimensions = [
    { Name: 'AlertType', Value: 'budget_projection' },
    { Name: 'ProjectID', Value: 'g?nome budget_projection' },
  ];
  const { Datapoints } = await client.send(
    new GetMetricStatisticsCommand({
      Namespace: namespace,
      MetricName: 'BudgetUsagePercent',
      Dimensions,
      StartTime: new Date(now.getTime() - 3_600_000),
      EndTime: new Date(now.getTime() + 3_600_000),
      Period: 60,
      Statistics: ['Maximum'],
    }),
  );
  const { Metrics } = await client.send(
    new ListMetricsCommand({ Namespace: namespace, Dimensions: [{ Name: 'WriterID', Value: 'w1000' }] }),
  );
  client.destroy();
  expect(outcomes).toEqual([{ channel: 'cloudwatch', delivery: 'sent', reason: null, hint: null }]);
  expect(Datapoints?.map(({ Maximum }) => Maximum)).toEqual([85]);
  expect(Metrics?.map(({ MetricName }) => MetricName)).toEqual(['Alerts']);
});
