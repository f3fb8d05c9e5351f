import { defineCommand } from '../../cli/command.js';
import type { Cancellation, Clock, Environment, Results } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import type { CloudWatchMetric } from '../../core/notify/alerts/channels/cloudwatch.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { fact, textOf } from '../kit/lines.js';

const flags = {
  test: flag.on({ describe: 'send them; without this nothing is sent' }),
  namespace: flag.text({ default: 'Archiver/Test', describe: 'namespace of the metrics in CloudWatch' }),
  region: flag.text({ short: 'r', placeholder: 'NAME', default: 'us-west-2', describe: 'region of CloudWatch' }),
  profile: flag.text({ placeholder: 'NAME', describe: 'AWS profile with the credentials for CloudWatch' }),
  endpointUrl: flag.text({ placeholder: 'URL', describe: 'server instead of CloudWatch itself' }),
};

export const command = defineCommand({
  path: 'metrics',
  summary: 'see whether metrics arrive in CloudWatch',
  description:
    'Says which test metrics it would send, and with --test sends them: one of each unit that archiver uses, by the way that ' +
    'alerts take to the channel cloudwatch. The credentials need cloudwatch:PutMetricData. A new metric may take 15 minutes ' +
    'to be listed there, and costs what a custom metric costs.\n' +
    'Metrics for Prometheus are served by --prometheus-addr and written by --textfile: docs/metrics.md.',
  flags,
  examples: [
    'archiver metrics',
    'archiver metrics --test --region eu-west-1',
    'archiver metrics --test --namespace Acme/Archiver --profile monitoring',
  ],
  exits: { 0: 'CloudWatch took them, or without --test: shown', 1: 'they could not be sent' },
  async run(values, _args, context: Results<'metrics'> & Clock & Environment & Cancellation) {
    const { test, namespace, region, profile = null, endpointUrl = null } = values;
    refuseNamespace(namespace);
    const metrics = samples(context.now());
    if (test) {
      const { putMetrics } = await import('../../core/notify/alerts/channels/cloudwatch.js');
      await putMetrics({ namespace, region, profile, endpointUrl }, metrics, context);
    }
    context.result(document(values, metrics), () => textOf(lines(values, metrics)));
  },
});

const SAMPLES = [
  ['TestCount', 'Count', 1],
  ['TestBytes', 'Bytes', 1024],
  ['TestSeconds', 'Seconds', 1.5],
  ['TestPercent', 'Percent', 85],
] as const;

const samples = (time: Date): readonly CloudWatchMetric[] =>
  SAMPLES.map(([name, unit, value]) => ({ name, unit, value, time, dimensions: { Source: 'archiver metrics' } }));

/** Checks the name by the rules of CloudWatch, which reserves names that begin with AWS/. @throws usage */
function refuseNamespace(namespace: string): void {
  if (/^[\w.\-/#][\w.\-/#:]{0,254}$/.test(namespace) && !namespace.startsWith('AWS/')) return;
  throw usageError(
    `${printable(namespace)} cannot be a namespace of CloudWatch`,
    'letters, digits and . - _ / # :, at most 255, not beginning with : or AWS/',
  );
}

type MetricsValues = Values<typeof flags>;

const document = ({ test, namespace, region }: MetricsValues, metrics: readonly CloudWatchMetric[]) => ({
  namespace,
  region,
  isSent: test,
  metrics: metrics.map(({ name, unit, value }) => ({ name, unit, value })),
});

const lines = ({ test, namespace, region }: MetricsValues, metrics: readonly CloudWatchMetric[]): readonly string[] => [
  test
    ? `✓ sent ${metrics.length} test metrics to CloudWatch in ${printable(region)}`
    : `${metrics.length} test metrics would be sent to CloudWatch in ${printable(region)}`,
  fact('namespace', namespace),
  ...metrics.map(({ name, unit, value }) => fact(name, `${value} ${unit}`)),
  fact('next', test ? 'a new metric may take 15 minutes to be listed' : 'archiver metrics --test sends them'),
];
