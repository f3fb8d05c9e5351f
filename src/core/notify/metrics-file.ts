// Writes metrics of the last run of each dataset in Prometheus' text format, for the textfile collector of node_exporter. Runs of several
// datasets may share one file: each replaces its own lines and keeps the others.
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { undefinedOn } from '../platform/failures/errors.js';
import { fileFailure } from '../platform/failures/file-failure.js';
import { holdLock } from '../platform/state/lock.js';
import { replaceFile } from '../platform/state/replace-file.js';
import { familyText, labelsText, READABLE } from './metrics-text.js';
import type { EndedRun, NotedRun } from '../events/run-facts.js';

const PATIENCE_MS = 10_000;
/** A larger file is not ours and is replaced completely. */
const MAX_BYTES = 16 * 2 ** 20;

interface Metric {
  readonly name: string;
  readonly help: string;
  /** Undefined when not known. */
  readonly value: (run: EndedRun) => number | undefined;
}

const METRICS: readonly Metric[] = [
  { name: 'timestamp_seconds', help: 'When the last run ended.', value: ({ endedAt }) => endedAt.getTime() / 1000 },
  { name: 'duration_seconds', help: 'How long the last run took.', value: ({ durationMs }) => durationMs / 1000 },
  {
    name: 'exit_status',
    help: 'Exit status of the last run: 0 is success, 3 is partial.',
    value: ({ exitStatus }) => exitStatus,
  },
  {
    name: 'success',
    help: '1 when the last run committed or found nothing new, else 0.',
    value: ({ status }) => Number(status === 'done' || status === 'partial'),
  },
  { name: 'files', help: 'Files in the version that the last run made or found.', value: ({ files }) => files },
  { name: 'bytes', help: 'Bytes of content in that version.', value: ({ bytes }) => bytes },
  { name: 'stored_bytes', help: 'Bytes that the last run stored.', value: ({ storedBytes }) => storedBytes },
];
const LAST_SUCCESS = 'archiver_run_last_success_timestamp_seconds';
const LAST_SUCCESS_HELP = 'When a run last committed or found nothing new.';

/** Labels that identify the lines of a run. They do not contain the dataset, which a run that failed early does not know. */
const labelsOf = ({ command, source, store }: NotedRun): string => labelsText({ command, source, store });

const SAMPLE = /^(archiver_run_[a-z_]+)\{(.*)\} (\S+)$/;

type Samples = Map<string, Map<string, string>>;

function samplesIn(text: string): Samples {
  const samples: Samples = new Map();
  for (const line of text.split('\n')) {
    const [, name, labels, value] = SAMPLE.exec(line) ?? [];
    if (name === undefined || labels === undefined || value === undefined) continue;
    const family = samples.get(name) ?? new Map<string, string>();
    samples.set(name, family.set(labels, value));
  }
  return samples;
}

/** Returns the text of the file with this run's lines replaced. */
export function metricsWith(before: string, run: NotedRun, ended: EndedRun): string {
  const samples = samplesIn(before);
  const labels = labelsOf(run);
  const isSuccess = ended.status === 'done' || ended.status === 'partial';
  const set = (name: string, value: number | undefined): void => {
    const family = samples.get(name) ?? new Map<string, string>();
    if (value === undefined) family.delete(labels);
    else family.set(labels, String(value));
    samples.set(name, family);
  };
  for (const { name, value } of METRICS) set(`archiver_run_${name}`, value(ended));
  if (isSuccess) set(LAST_SUCCESS, ended.endedAt.getTime() / 1000);
  const families = [
    ...METRICS.map(({ name, help }) => [`archiver_run_${name}`, help] as const),
    [LAST_SUCCESS, LAST_SUCCESS_HELP] as const,
  ];
  const sorted = (name: string) => Array.from(samples.get(name) ?? []).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return families.map(([name, help]) => familyText(name, help, sorted(name))).join('');
}

/** Replaces the file atomically, so that a reader never finds half of it. @throws conflict, access-denied, no-space, io */
export async function writeRunMetrics(path: string, run: NotedRun, ended: EndedRun): Promise<void> {
  const lock = await holdLock(`${path}.lock`, { host: hostname(), what: 'the metrics file', patienceMs: PATIENCE_MS });
  try {
    const before = (await readFile(path).catch(undefinedOn('ENOENT'))) ?? Buffer.alloc(0);
    const text = before.byteLength > MAX_BYTES ? '' : before.toString();
    await replaceFile(path, metricsWith(text, run, ended), READABLE);
  } catch (error) {
    throw fileFailure('write', path, error);
  } finally {
    await lock.release();
  }
}
