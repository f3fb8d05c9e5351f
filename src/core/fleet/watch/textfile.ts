// The Prometheus metrics of a fleet. Names follow its conventions: base units, a prefix for the program, times in seconds since 1970.
import { fileFailure } from '../../platform/failures/file-failure.js';
import { familyText, labelsText, READABLE } from '../../notify/metrics-text.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { CONDITIONS, type WriterStatus } from './judge.js';
import type { SourceStatus } from './judge-stored.js';
import type { FleetStatus } from './watch-fleet.js';

type Labels = Readonly<Record<string, string>>;
interface Metric<T> {
  readonly name: string;
  readonly help: string;
  /** Returns null when the value is not known. */
  readonly value: (of: T) => number | null;
}

const sumOf =
  (key: 'files' | 'bytes' | 'storedBytes') =>
  ({ heartbeat }: WriterStatus): number | null =>
    heartbeat === undefined ? null : heartbeat.sources.reduce((sum, source) => sum + source[key], 0);

const seconds = (moment: Date | null): number | null => (moment === null ? null : moment.getTime() / 1000);

const SOURCE_METRICS: readonly Metric<SourceStatus>[] = [
  {
    name: 'last_success_timestamp_seconds',
    help: 'When the source last succeeded, as its writer says.',
    value: ({ lastSuccessAt }) => seconds(lastSuccessAt),
  },
  {
    name: 'stored_timestamp_seconds',
    help: 'When the store got the newest version of the source.',
    value: ({ storedAt }) => seconds(storedAt),
  },
  {
    name: 'stored_version',
    help: 'The newest version of the source that the store has.',
    value: ({ storedVersion }) => storedVersion,
  },
];

const WRITER_METRICS: readonly Metric<WriterStatus>[] = [
  {
    name: 'heartbeat_age_seconds',
    help: 'Age of the last heartbeat by the clock of the store.',
    value: ({ ageMs }) => (ageMs === null ? null : ageMs / 1000),
  },
  {
    name: 'heartbeat_timestamp_seconds',
    help: 'When the writer last checked in, by the clock of the store.',
    value: ({ checkedInAt }) => seconds(checkedInAt),
  },
  {
    name: 'last_success_timestamp_seconds',
    help: 'When a cycle last ended in which every source succeeded.',
    value: ({ lastSuccessAt }) => seconds(lastSuccessAt),
  },
  {
    name: 'stored_timestamp_seconds',
    help: 'When the store got the newest version of the writer.',
    value: ({ storedAt }) => seconds(storedAt),
  },
  {
    name: 'stale_after_seconds',
    help: 'Age of a heartbeat from which on the writer is stale.',
    value: ({ staleAfterMs }) => staleAfterMs / 1000,
  },
  {
    name: 'config_version',
    help: 'Version of the config that the writer runs.',
    value: ({ heartbeat }) => heartbeat?.configVersion ?? null,
  },
  {
    name: 'stored_config_version',
    help: 'Version of the config that lies in the store for the writer.',
    value: ({ config }) => config?.version ?? null,
  },
  {
    name: 'healthy',
    help: '1 when the writer is fresh, the store shows what it says, and its latest cycle succeeded, else 0.',
    value: ({ condition }) => (condition === 'starting' ? null : Number(condition === 'healthy')),
  },
  { name: 'files', help: 'Files in the newest versions of its sources.', value: sumOf('files') },
  { name: 'bytes', help: 'Bytes of content in the newest versions of its sources.', value: sumOf('bytes') },
  { name: 'stored_bytes', help: 'Bytes that these take in the store.', value: sumOf('storedBytes') },
  {
    name: 'clock_skew_seconds',
    help: 'How far the clock of the writer is ahead of that of the store.',
    value: ({ clockSkewMs }) => (clockSkewMs === null ? null : clockSkewMs / 1000),
  },
];

/** Returns the metrics text; `fleet` is undefined when it could not be seen. */
export function metricsText(fleet: FleetStatus | undefined, location: string): string {
  const base = { fleet: location };
  const up = familyOf('archiver_fleet_up', '1 when the fleet could be seen, else 0.', [
    [base, fleet === undefined ? 0 : 1],
  ]);
  if (fleet === undefined) return up;
  const { writers, counts, lookedAt } = fleet;
  const states = CONDITIONS.map((state) => [{ ...base, state }, counts[state]] as const);
  return [
    up,
    familyOf('archiver_fleet_seen_timestamp_seconds', 'When the fleet was seen, by the clock of the store.', [
      [base, lookedAt.getTime() / 1000],
    ]),
    familyOf('archiver_fleet_writers', 'Writers by their state.', states),
    ...WRITER_METRICS.map(({ name, help, value }) =>
      familyOf(
        `archiver_writer_${name}`,
        help,
        writers.map((writer) => [{ ...base, writer: writer.writerId }, value(writer)] as const),
      ),
    ),
    ...SOURCE_METRICS.map(({ name, help, value }) =>
      familyOf(
        `archiver_source_${name}`,
        help,
        writers.flatMap((writer) =>
          distinct(writer.sources).map(
            (one) => [{ ...base, writer: writer.writerId, source: one.source.path }, value(one)] as const,
          ),
        ),
      ),
    ),
  ].join('');
}

/** The first source of each path: a heartbeat may name one twice, and a sample may not. */
const distinct = (sources: readonly SourceStatus[]): readonly SourceStatus[] => [
  ...new Map(sources.toReversed().map((one) => [one.source.path, one])).values(),
];

function familyOf(name: string, help: string, samples: readonly (readonly [Labels, number | null])[]): string {
  return familyText(
    name,
    help,
    samples.flatMap(([labels, value]) => (value === null ? [] : [[labelsText(labels), value] as const])),
  );
}

/** Replaces the file atomically, so that a reader never finds half of it. @throws access-denied, no-space, io */
export async function writeMetrics(path: string, fleet: FleetStatus | undefined, location: string): Promise<void> {
  try {
    await replaceFile(path, metricsText(fleet, location), READABLE);
  } catch (error) {
    throw fileFailure('write', path, error);
  }
}
