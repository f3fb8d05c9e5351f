// What checks say of datasets, in the text format of Prometheus. A share is of the days before now: of a drill that is older nothing is left.
import { familyText, labelsText } from '../notify/metrics-text.js';
import type { CheckedDataset } from './checked-datasets.js';

const DAY_MS = 86_400_000;

interface Metric {
  readonly name: string;
  readonly help: string;
  /** Undefined when not known. */
  readonly value: (of: CheckedDataset, now: Date) => number | undefined;
}

/** The share of bytes that the newest drill calls proven, while it is young enough to say so. */
function provenRatio({ drill }: CheckedDataset, now: Date): number {
  if (drill === undefined) return 0;
  const { endedAt, coverage } = drill;
  if (now.getTime() - endedAt.getTime() > coverage.days * DAY_MS) return 0;
  return coverage.ofBytes === 0 ? 1 : coverage.bytes / coverage.ofBytes;
}

const METRICS: readonly Metric[] = [
  {
    name: 'drill_last_success_timestamp_seconds',
    help: 'When a drill last brought back all that it tried; 0 for never.',
    value: ({ provenAt }) => (provenAt?.getTime() ?? 0) / 1000,
  },
  {
    name: 'proven_ratio',
    help: 'Part of the bytes of a version that drills of the last days have brought back, by the newest drill.',
    value: provenRatio,
  },
  { name: 'proven_days', help: 'These days.', value: ({ drill }) => drill?.coverage.days },
  {
    name: 'check_failed',
    help: '1 while a check or drill has found something wrong that no later one has found right, else 0.',
    value: ({ hasFailedCheck }) => Number(hasFailedCheck),
  },
];
const READ_HELP = 'When checks of the store were read.';

/** Returns the metrics of the datasets of a store. */
export function checksMetrics(datasets: readonly CheckedDataset[], location: string, now: Date): string {
  const families = METRICS.map(({ name, help, value }) => {
    const samples = datasets.flatMap((dataset) => {
      const known = value(dataset, now);
      const labels = labelsText({ dataset: dataset.datasetId, store: location });
      return known === undefined ? [] : [[labels, known] as const];
    });
    return familyText(`archiver_dataset_${name}`, help, samples);
  });
  const seen = [[labelsText({ store: location }), now.getTime() / 1000]] as const;
  return [...families, familyText('archiver_dataset_checks_read_timestamp_seconds', READ_HELP, seen)].join('');
}
