// Alerts as metrics of CloudWatch, for alarms to be made of. The only file that knows its SDK. Each alert is one value of
// `Alerts`, and the percentages of its budget are BudgetUsagePercent and VolumeUsagePercent.
import { CloudWatchClient, PutMetricDataCommand, type MetricDatum } from '@aws-sdk/client-cloudwatch';
import { ArchiverError } from '../../failures/errors.js';
import { awsService } from '../../object-store/s3/aws-service.js';
import { awsServiceError } from '../../object-store/s3/aws-service-error.js';
import { networkOf } from '../../object-store/s3/s3-network.js';
import { awsProfile, tokenEndpoint } from '../../object-store/s3/s3-profile.js';
import { untilCancelled } from '../../object-store/until-cancelled.js';
import { printable } from '../../paths/raw-path.js';
import type { Alert } from '../alert.js';
import type { Channel, ChannelWorld } from '../channel.js';
import type { CloudWatchSettings } from '../settings.js';

const TIMEOUTS = { connectMs: 5_000, idleMs: 10_000, answerMs: 10_000 };
/** Of PutMetricData: 1 MB a request, and values of dimensions of at most 1024 characters. */
const METRICS_AT_ONCE = 250;
const MAX_VALUE = 1024;

export function cloudwatchChannel(settings: CloudWatchSettings, { env }: ChannelWorld): Channel {
  const profile = settings.profile ?? undefined;
  return {
    name: 'cloudwatch',
    secrets: [],
    async send(alerts, signal) {
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
      // Its profile may have authorities and an address of its own.
      const sources = { env, profile };
      const network = await networkOf(sources);
      const endpoint = settings.endpointUrl || (await tokenEndpoint('cloudwatch', sources));
      const client = new CloudWatchClient({
        ...awsService({ ...sources, region, endpoint, network, timeouts: TIMEOUTS }),
        disableRequestCompression: true, // few servers beside CloudWatch itself understand it
      });
      try {
        const metrics = alerts.flatMap(metricsOf);
        for (let at = 0; at < metrics.length; at += METRICS_AT_ONCE) {
          const command = new PutMetricDataCommand({
            Namespace: settings.namespace,
            MetricData: metrics.slice(at, at + METRICS_AT_ONCE),
          });
          await untilCancelled(client.send(command, { abortSignal: signal }), signal);
        }
        return undefined;
      } catch (error) {
        const rights = 'the credentials need cloudwatch:PutMetricData';
        throw awsServiceError(error, { asked: `CloudWatch in ${region}`, rights });
      } finally {
        client.destroy();
      }
    },
  };
}

/** ASCII and not blank, as CloudWatch wants it. */
function dimension(name: string, value: string): { Name: string; Value: string } {
  const text = printable(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim();
  return { Name: name, Value: text === '' ? '-' : text.slice(0, MAX_VALUE) };
}

function metricsOf({ type, severity, project, writerId, time, costUsage, volumeUsage }: Alert): readonly MetricDatum[] {
  const Dimensions = [
    dimension('AlertType', type),
    ...(project === null ? [] : [dimension('ProjectID', project)]),
    ...(writerId === null ? [] : [dimension('WriterID', writerId)]),
  ];
  const Timestamp = new Date(time);
  const percent = (MetricName: string, value: number | null | undefined): readonly MetricDatum[] =>
    value === null || value === undefined ? [] : [{ MetricName, Dimensions, Timestamp, Unit: 'Percent', Value: value }];
  return [
    {
      MetricName: 'Alerts',
      Dimensions: [...Dimensions, dimension('Severity', severity)],
      Timestamp,
      Unit: 'Count',
      Value: 1,
    },
    ...percent('BudgetUsagePercent', costUsage?.usedPercent),
    ...percent('VolumeUsagePercent', volumeUsage?.usedPercent),
  ];
}
