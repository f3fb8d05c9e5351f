// Formats alerts for mails and chats. Names come from stores and people, so control characters are always removed.
import { printable } from '../../platform/paths/raw-path.js';
import { amountText } from './amounts.js';
import { type Alert, subjectOf, type Usage, worstOf } from './alert.js';

/** Number of alerts written out; a thousand stale writers still make one short message. */
const SHOWN = 20;

/** Returns the subject line: `[archiver alert] warning: cost_threshold, project genomes`. */
export function titleOf(alerts: readonly Alert[]): string {
  const [first] = alerts;
  const test = first?.isTest === true ? 'test, ' : '';
  const about =
    first === undefined || alerts.length > 1 ? `${alerts.length} alerts` : `${first.type}, ${subjectOf(first)}`;
  return printable(`[archiver alert] ${test}${worstOf(alerts)}: ${about}`);
}

/** Returns the lines of the message. */
export function linesOf(alerts: readonly Alert[]): readonly string[] {
  const shown = alerts.slice(0, SHOWN).flatMap((alert, index) => [...(index === 0 ? [] : ['']), ...linesOfOne(alert)]);
  const more = alerts.length - SHOWN;
  return (more > 0 ? [...shown, '', `and ${more} more alerts`] : shown).map(printable);
}

function linesOfOne(alert: Alert): readonly string[] {
  const { type, severity, time, description, recommendation, costUsage: cost, volumeUsage: volume } = alert;
  return [
    `${severity}: ${type}, ${subjectOf(alert)}`,
    description,
    ...(cost === null ? [] : [usageLine('cost', cost)]),
    ...(volume === null ? [] : [usageLine('volume', volume)]),
    `to do: ${recommendation}`,
    `at: ${time}`,
  ];
}

function usageLine(kind: 'cost' | 'volume', { limit, used, usedPercent }: Usage): string {
  const text = (amount: number): string => amountText(kind, amount);
  return limit === 0
    ? `${kind}: ${text(used)}, no limit`
    : `${kind}: ${text(used)} of ${text(limit)} (${usedPercent}%)`;
}
