// Records what Node and V8 report about all threads (event loop, garbage collection, files, sockets, thread pool) as trace events: JSON
// that Perfetto and chrome://tracing open.
import type { EventConsumer } from '../../events/fan-out.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inspection } from './inspection.js';

const CATEGORIES = [
  'node.environment',
  'node.fs.async',
  'node.fs.sync',
  'node.http',
  'node.net.native',
  'node.perf',
  'node.threadpoolwork',
  'v8',
];
/** About 150 MB of JSON. */
const MOST_EVENTS = 1_000_000;
/** Time limit for the last events, which arrive before the message that tracing is complete. */
const COMPLETE_MS = 10_000;

export interface TraceFile {
  readonly traceEvents: readonly unknown[];
  readonly displayTimeUnit: 'ms';
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ExecutionTrace {
  readonly stop: () => Promise<TraceFile>;
}

const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

interface Span {
  readonly name: string;
  readonly sinceUs: number;
}

/** Current phases by consumer; and running traces, which get each phase when it ends. */
const phases = new Map<object, Span>();
const traces = new Set<(span: Span) => void>();

/** Makes a consumer that adds the phases of an operation to running traces. */
export function phaseConsumer(): EventConsumer {
  const key = {};
  const end = (): void => {
    const span = phases.get(key);
    phases.delete(key);
    if (span !== undefined) for (const take of traces) take(span);
  };
  return {
    name: 'trace',
    take(event) {
      if (event.type !== 'phase' && event.type !== 'end') return;
      end();
      if (event.type === 'phase') phases.set(key, { name: event.phase, sinceUs: nowUs() });
    },
  };
}

/** Starts a trace; a process has only one at a time. @throws unsupported without an inspector, and what Node refuses */
export async function startTrace(): Promise<ExecutionTrace> {
  const ignore = async (): Promise<void> => await Promise.resolve();
  const inspection = await Inspection.open({ started: ignore, leaving: ignore });
  const events: unknown[] = [];
  let dropped = 0;
  const startedUs = nowUs();
  const addPhase = ({ name, sinceUs }: Span): void => {
    const ts = Math.max(sinceUs, startedUs);
    const { pid } = process;
    events.push({ pid, tid: pid, ph: 'X', cat: 'archiver', name, ts, dur: nowUs() - ts, args: {} });
  };
  const complete = new Promise<void>((resolve) => inspection.on('NodeTracing.tracingComplete', () => resolve()));
  inspection.on('NodeTracing.dataCollected', ({ params }: { params: { value: readonly unknown[] } }) => {
    for (const event of params.value)
      if (events.length < MOST_EVENTS) events.push(event);
      else dropped += 1;
  });
  try {
    await inspection.main.post('NodeTracing.start', { traceConfig: { includedCategories: CATEGORIES } });
  } catch (error) {
    inspection.close();
    throw error;
  }
  traces.add(addPhase);
  return {
    async stop() {
      traces.delete(addPhase);
      for (const span of phases.values()) addPhase(span);
      const late = new AbortController();
      try {
        await inspection.main.post('NodeTracing.stop');
        await Promise.race([complete, sleep(COMPLETE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
      } finally {
        late.abort();
        inspection.close();
      }
      const metadata = { node: process.version, dropped };
      return { traceEvents: events, displayTimeUnit: 'ms', metadata };
    },
  };
}
