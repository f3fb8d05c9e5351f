import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineCommand } from '../../cli/command.js';
import type { Messages, StreamedResults, Verbosity } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import { conflicts } from '../../cli/rule.js';
import type { MonitorPass, PassOptions } from '../../core/fleet/watch/monitor-pass.js';
import { documentLine } from '../../core/platform/json/document.js';
import type { DocumentParts } from '../../json/documents.js';
import { budgetStoreFlag } from '../kit/budget-flags.js';
import { textOf } from '../kit/lines.js';
import { metricsFlags } from '../kit/telemetry-flags.js';
import { warnOf } from '../kit/run.js';
import { fleetArg, readFleetAt, type WatchContext, watchFlags } from './watch.js';

const BOOK_MS = 15_000;

const flags = {
  interval: flag.duration({ default: '15m', describe: 'time from the beginning of a pass to that of the next' }),
  once: flag.on({ describe: 'make one pass, and tell by the exit status how the fleet is' }),
  ...watchFlags,
  ...metricsFlags,
  ...budgetStoreFlag,
};

type MonitorContext = StreamedResults<'fleet monitor'> & Messages & Verbosity & WatchContext;

export const command = defineCommand({
  path: 'fleet monitor',
  summary: 'watch a fleet, and raise alerts about writers that nobody hears of',
  description:
    'Each pass reads all heartbeats, as `archiver fleet status` does, says how the fleet is, and evaluates the budgets. Alerts go ' +
    'where `archiver alerts configure` says, each once within the cooldown, all of a pass in one message: writers that are stale, ' +
    'missing for longer than the threshold, unknown or cloned, that fail and have not succeeded for that long, and budgets. ' +
    'A store that cannot be reached is said once, alerted when that lasts longer than the threshold, and said again when it is back; each pass tries again. ' +
    'Without a channel it still says how the fleet is. Ctrl+C and SIGTERM end it with exit status 0.\n' +
    'With --json and without --once the document ends with the last pass; until then each pass is a line.',
  args: [fleetArg],
  flags,
  rules: [
    conflicts('once', ['interval']),
    {
      kind: 'check',
      text: '--interval is at least 1s',
      ok: ({ interval }: { readonly interval: number }) => interval >= 1000,
    },
  ],
  examples: [
    'archiver fleet monitor s3://acme-archive/lab',
    'archiver fleet monitor s3://acme-archive/lab --once --quiet',
    'archiver fleet monitor s3://acme-archive/lab --interval 5m --textfile /var/lib/node_exporter/fleet.prom',
  ],
  exits: {
    0: 'every writer is fresh and well, or it was asked to stop',
    1: 'the fleet cannot be looked at',
    3: 'with --once: somebody has to look at some writers: stale, missing, failing, unknown, cloned, with a wrong clock or an old config',
  },
  async run(values, [url], context: MonitorContext) {
    const { fleetBase } = await import('./fleet-lines.js');
    const options = await passOptions(fleetBase(url), values, context);
    if (values.once) return await monitorOnce(options, context);
    await monitorPasses(options, values.interval, context);
    return 0;
  },
});

async function passOptions(
  location: string,
  values: Values<typeof flags>,
  context: MonitorContext,
): Promise<PassOptions> {
  const { openBook } = await import('../../core/money/budget/open-book.js');
  const { readBook } = await import('../../core/money/budget/book-store.js');
  const { raiseAlerts } = await import('../../core/notify/alerts/raise-alerts.js');
  const { home, cwd, env, now, signal } = context;
  const { budgetStore: place, profile, endpointUrl, caBundle, threshold, textfile } = values;
  return {
    location,
    thresholdMs: threshold,
    home,
    textfile: textfile === undefined ? undefined : resolve(cwd, textfile),
    metrics: context.observer?.metrics,
    now,
    signal,
    watch: () => readFleetAt(location, values, context),
    async readBook() {
      const until = AbortSignal.any([signal, AbortSignal.timeout(BOOK_MS)]);
      const opened = await openBook({ place, home, cwd }, { env, profile, endpointUrl, caBundle, signal: until });
      try {
        return await readBook(opened.store, until);
      } finally {
        opened.close();
      }
    },
    raise: (alerts) => raiseAlerts(alerts, { home, env, now, signal }),
  };
}

async function monitorOnce(options: PassOptions, context: MonitorContext): Promise<number> {
  const { handlePass, runMonitorPass } = await import('../../core/fleet/watch/monitor-pass.js');
  const { alertsText, passDocument, passText } = await import('./pass-lines.js');
  const pass = await runMonitorPass(options);
  const followed = await handlePass(pass, options);
  options.signal.throwIfAborted();
  warnOf(followed.problems, context);
  if (pass.fleet === undefined) throw pass.failure;
  const document = { location: options.location, passes: [passDocument(pass, followed)] };
  context.outcome(document, () => textOf([...passText(pass, context.verbose), ...alertsText(followed)]));
  return pass.fleet.troubledCount === 0 ? 0 : 3;
}

/** Makes passes until it is asked to stop, and prints each as it comes. */
async function monitorPasses(options: PassOptions, intervalMs: number, context: MonitorContext): Promise<void> {
  const { handlePass, runMonitorPass } = await import('../../core/fleet/watch/monitor-pass.js');
  const { atIntervals } = await import('../../core/fleet/watch/passes.js');
  const { alertsText, passDocument, passText } = await import('./pass-lines.js');
  const { signal, now } = options;
  const pause = async (ms: number, until: AbortSignal): Promise<void> => {
    await sleep(ms, undefined, { signal: until }).catch(() => undefined); // it was aborted, which the loop checks
  };
  let before: Date | null = null;
  let told: readonly string[] = [];
  const passes = atIntervals({ intervalMs, now, pause, signal }, async () => {
    const pass = await runMonitorPass(options, before);
    // A store that is away is said once, and again when it is back.
    const isSilent = pass.fleet === undefined ? before !== null : context.quiet && isAsAlways(pass);
    before = pass.unseenSince;
    if (!isSilent) await context.print(textOf(passText(pass, context.verbose)));
    // The pass is printed already, so a slow channel does not delay it.
    const followed = await handlePass(pass, options);
    warnOf(
      followed.problems.filter((problem) => !told.includes(problem)),
      context,
    );
    told = followed.problems;
    const alerts = alertsText(followed);
    if (alerts.length > 0) await context.print(textOf(alerts));
    return passDocument(pass, followed);
  });
  if (context.json) return await context.streamDocument(documentParts(options.location, passes));
  for await (const _ of passes);
}

/** True when there is nothing to say: every writer is well, and the fleet was not out of sight. */
const isAsAlways = ({ fleet, seenAfterMs }: MonitorPass): boolean => fleet?.troubledCount === 0 && seenAfterMs === null;

const documentParts = <T>(location: string, passes: AsyncIterable<T>) =>
  partsOf(location, passes) as AsyncIterable<string> as DocumentParts<{ location: string; passes: T[] }>;

async function* partsOf(location: string, passes: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `${documentLine({ location }).slice(0, -'}\n'.length)},"passes":[`;
  let lineEnd = '\n';
  for await (const pass of passes) {
    yield `${lineEnd}${JSON.stringify(pass)}`;
    lineEnd = ',\n';
  }
  yield '\n]}';
}
