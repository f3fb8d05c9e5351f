// Alerts in words, for mails and chats. Names come from stores and people: control characters never get through.
import { printable } from '../paths/raw-path.js';
import { type Alert, subjectOf, type Usage, worstOf } from './alert.js';

/** So many are written out; a thousand writers that are stale at once make one message. */
const SHOWN = 20;

/** Subject line: `[archiver alert] warning: cost_threshold, project genomes`. */
export function titleOf(alerts: readonly Alert[]): string {
  const [first] = alerts;
  const test = first?.isTest === true ? 'test, ' : '';
  const about =
    first === undefined || alerts.length > 1 ? `${alerts.length} alerts` : `${first.type}, ${subjectOf(first)}`;
  return printable(`[archiver alert] ${test}${worstOf(alerts)}: ${about}`);
}

/** The lines of a message about them. */
export function linesOf(alerts: readonly Alert[]): readonly string[] {
  const shown = alerts.slice(0, SHOWN).flatMap((alert, index) => [...(index === 0 ? [] : ['']), ...linesOfOne(alert)]);
  const more = alerts.length - SHOWN;
  return (more > 0 ? [...shown, '', `and ${more} more alerts`] : shown).map(printable);
}

const usd = (amount: number): string => `$${amount.toFixed(2)}`;
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

function linesOfOne(alert: Alert): readonly string[] {
  const { type, severity, time, description, recommendation, cost, volume } = alert;
  return [
    `${severity}: ${type}, ${subjectOf(alert)}`,
    description,
    ...(cost === null ? [] : [usageLine('cost', cost, usd)]),
    ...(volume === null ? [] : [usageLine('volume', volume, gigabytes)]),
    `to do: ${recommendation}`,
    `at: ${time}`,
  ];
}

function usageLine(label: string, { limit, used, usedPercent }: Usage, text: (amount: number) => string): string {
  return limit === 0
    ? `${label}: ${text(used)}, no limit`
    : `${label}: ${text(used)} of ${text(limit)} (${usedPercent}%)`;
}
