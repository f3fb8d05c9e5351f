// Says on stderr that the store does not answer, in the words of the screens, a line for each try that failed.
import type { EventSink } from '../../../core/events/events.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { storeOutageText } from '../../../screens/outage-words.js';
import { watchOutage } from '../../../stores/outage.js';
import type { ArchiveCall } from '../archive-command.js';

/** Returns what takes the events of the store while a command reads it; silent with --quiet. */
export function outageLines({ session, streams }: ArchiveCall): EventSink {
  const { now, quiet } = session.context;
  const { take } = watchOutage(now, (trouble) => {
    if (trouble === undefined || quiet) return;
    const reason = trouble.reason === undefined ? '' : `: ${printable(trouble.reason)}`;
    streams.stderr.write(`! ${storeOutageText(trouble)}${reason}\n`);
  });
  return take;
}
