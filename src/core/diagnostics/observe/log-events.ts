// Converts the events of an operation to log lines.
import type { TransferEvent } from '../../events/events.js';
import type { LogLine } from './log-file.js';

const DEBUG: ReadonlySet<TransferEvent['type']> = new Set(['chunk', 'settled', 'step']);

/** Returns undefined for events that occur many times per second. */
export function logLineOf(event: TransferEvent): LogLine | undefined {
  if (event.type === 'scan' || event.type === 'progress' || event.type === 'sent') return undefined;
  if (event.type === 'note') return { level: 'info', event: 'note', message: event.text };
  if (event.type === 'end') return endLine(event.outcome);
  if (event.type === 'retry' || event.type === 'skip') {
    const { type, reason, ...fields } = event;
    return { level: 'warn', event: type, message: reason, ...fields };
  }
  const { type, ...fields } = event;
  return { level: DEBUG.has(type) ? 'debug' : 'info', event: type, ...fields };
}

function endLine(outcome: Extract<TransferEvent, { type: 'end' }>['outcome']): LogLine {
  if (outcome.status !== 'failed') return { level: 'info', event: 'end', outcome: outcome.status };
  const { message, code, hint } = outcome;
  return { level: 'error', event: 'end', message, outcome: 'failed', code, ...(hint !== undefined && { hint }) };
}
