import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.js';
import type { Messages, Results, Verbosity } from '../../cli/context.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { stopwatch, warnOf } from '../kit/run.js';
import { fitLines, type TableContext } from '../kit/table.js';
import { fleetArg, readFleetAt, type WatchContext, watchFlags } from './watch.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';

export const command = defineCommand({
  path: 'fleet status',
  summary: 'show when each writer of a fleet checked in, and how its last cycle went',
  description:
    'Reads the heartbeat of each writer, and lists the records of its versions: two listings, and two requests a writer; one more for each ' +
    'source of a writer that has more than a thousand records. When a writer checked in is told by the clock of the ' +
    'store; its own clock only says how long before that it succeeded, and the store when it got the newest version of each source. A writer ' +
    'whose heartbeat says more than the store shows, cannot be read, or is dated later than it can be, is unknown, and never fresh. One with a ' +
    'config that never checked in is missing. Configs are read once when ' +
    'one changed, to tell how often a writer is to run and who keeps an older one. That a machine was cloned shows only when two instances take turns: ' +
    'what this computer saw before is kept in ~/.archiver/fleet.',
  args: [fleetArg],
  flags: watchFlags,
  examples: [
    'archiver fleet status s3://acme-archive/lab',
    'archiver fleet status s3://acme-archive/lab --threshold 26h --json',
    'archiver fleet status file:///mnt/backup --textfile /var/lib/node_exporter/fleet.prom',
  ],
  exits: { 0: 'shown, whatever the state of the writers', 1: 'there is no fleet, or it cannot be looked at' },
  async run(
    values,
    [url],
    context: Results<'fleet status'> & Messages & Verbosity & WatchContext & ReadingContext & TableContext,
  ) {
    const { fleetDocument } = await import('../../core/fleet/watch/fleet-document.js');
    const { countsText, fleetBase, fleetTable, troubleLines } = await import('./fleet-lines.js');
    const elapsed = stopwatch(context);
    const base = fleetBase(url);
    const fleet = await whileReading(context, base, (emit) => readFleetAt(base, values, context, emit), 'fleet status');
    warnOf(fleet.notes, context);
    if (values.textfile !== undefined) {
      const { writeMetrics } = await import('../../core/fleet/watch/textfile.js');
      await writeMetrics(resolve(context.cwd, values.textfile), fleet, fleet.location);
    }
    const table = await fleetTable(fleet, context);
    const head = `${countsText(fleet)} in ${printable(base)}`;
    const document = { ...fleetDocument(fleet), requests: fleet.requests, durationMs: elapsed() };
    const below = await fitLines([head, ...troubleLines(fleet, context.verbose)], context);
    context.result(document, () => table + below);
  },
});
