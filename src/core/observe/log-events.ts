// The events of an operation as lines of the log.
import type { TransferEvent } from '../events.js';
import type { LogLine } from './log-file.js';

/** Undefined for what comes many times a second. */
export function logLineOf(event: TransferEvent): LogLine | undefined {
  switch (event.type) {
    case 'scan':
    case 'progress':
    case 'sent':
      return undefined;
    case 'chunk':
    case 'settled': {
      const { type, ...fields } = event;
      return { level: 'debug', event: type, ...fields };
    }
    case 'retry':
    case 'skip': {
      const { type, reason, ...fields } = event;
      return { level: 'warn', event: type, message: reason, ...fields };
    }
    case 'note':
      return { level: 'info', event: 'note', message: event.text };
    case 'end':
      return endLine(event.outcome);
    case 'start':
    case 'phase':
    case 'plan':
    case 'cost':
    case 'thaw': {
      const { type, ...fields } = event;
      return { level: 'info', event: type, ...fields };
    }
    default:
      return event satisfies never;
  }
}

function endLine(outcome: Extract<TransferEvent, { type: 'end' }>['outcome']): LogLine {
  if (outcome.status !== 'failed') return { level: 'info', event: 'end', outcome: outcome.status };
  const { message, code, hint } = outcome;
  return { level: 'error', event: 'end', message, outcome: 'failed', code, ...(hint !== undefined && { hint }) };
}
