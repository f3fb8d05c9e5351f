// Sends metrics to CloudWatch, including alerts, for which alarms can be set up. The only file that knows its SDK. Each alert is one value
// of `Alerts`, and the percentages of its budget are BudgetUsagePercent and VolumeUsagePercent.
import { CloudWatchClient, PutMetricDataCommand, type MetricDatum } from '@aws-sdk/client-cloudwatch';
import { ArchiverError } from '../../../platform/failures/errors.js';
import { awsService } from '../../../store/s3/aws-service.js';
import { awsServiceError } from '../../../store/s3/aws-service-error.js';
import { networkOf } from '../../../store/s3/s3-network.js';
import { awsProfile, tokenEndpoint } from '../../../store/s3/s3-profile.js';
import { untilCancelled } from '../../../store/until-cancelled.js';
import { printable } from '../../../platform/paths/raw-path.js';
import type { Alert } from '../alert.js';
import type { Channel, ChannelWorld } from '../channel.js';
import type { CloudWatchSettings } from '../settings.js';

const TIMEOUTS = { connectMs: 5_000, idleMs: 10_000, answerMs: 10_000 };
/** Limits of PutMetricData: 1 MB per request, and 1024 characters for values of dimensions. */
const METRICS_AT_ONCE = 250;
const MAX_VALUE = 1024;

/** One value of a metric. */
export interface CloudWatchMetric {
  readonly name: string;
  readonly unit: 'Count' | 'Bytes' | 'Seconds' | 'Percent';
  readonly value: number;
  readonly time: Date;
  readonly dimensions: Readonly<Record<string, string>>;
}

export function cloudwatchChannel(settings: CloudWatchSettings, { env }: ChannelWorld): Channel {
  return {
    name: 'cloudwatch',
    secrets: [],
    async send(alerts, signal) {
      await putMetrics(settings, alerts.flatMap(metricsOf), { env, signal });
      return undefined;
    },
  };
}

interface CloudWatchWorld extends Pick<ChannelWorld, 'env'> {
  readonly signal: AbortSignal;
}

/** Sends values to a namespace; returns the region used. @throws usage without a region; access-denied, store */
export async function putMetrics(
  settings: CloudWatchSettings,
  metrics: readonly CloudWatchMetric[],
  { env, signal }: CloudWatchWorld,
): Promise<string> {
  const profile = settings.profile ?? undefined;
  const region =
    settings.region ||
    env['AWS_REGION'] ||
    env['AWS_DEFAULT_REGION'] ||
    (await awsProfile({ env, profile })).section['region'];
  if (!region) {
    throw new ArchiverError('usage', 'no region is known for CloudWatch', {
      hint: 'archiver alerts configure cloudwatch --region us-west-2',
    });
  }
  // The channel's profile may have its own certificate authorities and address.
  const sources = { env, profile };
  const network = await networkOf(sources);
  const endpoint = settings.endpointUrl || (await tokenEndpoint('cloudwatch', sources));
  const client = new CloudWatchClient({
    ...awsService({ ...sources, region, endpoint, network, timeouts: TIMEOUTS }),
    disableRequestCompression: true, // few servers beside CloudWatch itself understand it
  });
  try {
    for (let at = 0; at < metrics.length; at += METRICS_AT_ONCE) {
      const command = new PutMetricDataCommand({
        Namespace: settings.namespace,
        MetricData: metrics.slice(at, at + METRICS_AT_ONCE).map(datumOf),
      });
      await untilCancelled(client.send(command, { abortSignal: signal }), signal);
    }
    return region;
  } catch (error) {
    const rights = 'the credentials need cloudwatch:PutMetricData';
    throw awsServiceError(error, { asked: `CloudWatch in ${region}`, rights });
  } finally {
    client.destroy();
  }
}

const datumOf = ({ name, unit, value, time, dimensions }: CloudWatchMetric): MetricDatum => ({
  MetricName: name,
  Dimensions: Object.entries(dimensions).map(([dimensionName, text]) => dimension(dimensionName, text)),
  Timestamp: time,
  Unit: unit,
  Value: value,
});

/** Makes a dimension whose value is ASCII and not blank, as CloudWatch requires. */
function dimension(name: string, value: string): { Name: string; Value: string } {
  const text = printable(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim();
  return { Name: name, Value: text === '' ? '-' : text.slice(0, MAX_VALUE) };
}

function metricsOf(alert: Alert): readonly CloudWatchMetric[] {
  const { type, severity, project, writerId, costUsage, volumeUsage } = alert;
  const dimensions = {
    AlertType: type,
    ...(project !== null && { ProjectID: project }),
    ...(writerId !== null && { WriterID: writerId }),
  };
  const time = new Date(alert.time);
  const percent = (name: string, value: number | null | undefined): readonly CloudWatchMetric[] =>
    value === null || value === undefined ? [] : [{ name, dimensions, time, unit: 'Percent', value }];
  return [
    { name: 'Alerts', dimensions: { ...dimensions, Severity: severity }, time, unit: 'Count', value: 1 },
    ...percent('BudgetUsagePercent', costUsage?.usedPercent),
    ...percent('VolumeUsagePercent', volumeUsage?.usedPercent),
  ];
}
