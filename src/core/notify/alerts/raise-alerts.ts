// Raises alerts: those that are due are sent to every enabled channel. Used for budgets and fleet monitoring. Problems are returned, never
// thrown, because the work that raised an alert is already done.
import { reasonText } from '../../platform/failures/errno.js';
import type { Alert } from './alert.js';
import type { Channel, ChannelWorld } from './channel.js';
import { claimAlerts, settleAlerts } from './cooldown.js';
import { deliver, type DeliverOptions, type Outcome } from './deliver.js';
import { openChannels } from './open-channels.js';
import { enabledIn, readAlertSettings } from './settings.js';

export interface RaiseOptions extends DeliverOptions, Omit<ChannelWorld, 'network'> {
  /** The folder of local state. */
  readonly home: string;
}

export interface Raised {
  /** The alerts that were due; the others were sent within the cooldown. */
  readonly due: readonly Alert[];
  /** Empty when no channel is enabled. */
  readonly outcomes: readonly Outcome[];
  /** Problems as sentences. */
  readonly problems: readonly string[];
}

/** Sends due alerts to the enabled channels. Never throws. */
export async function raiseAlerts(alerts: readonly Alert[], options: RaiseOptions): Promise<Raised> {
  const problems: string[] = [];
  let channels: readonly Channel[] = [];
  if (alerts.length === 0) return { due: [], outcomes: [], problems };
  try {
    const settings = await readAlertSettings(options.home);
    if (settings === undefined) return { due: alerts, outcomes: [], problems };
    channels = await openChannels(enabledIn(settings), settings, options);
    if (channels.length === 0) return { due: alerts, outcomes: [], problems };
    return await sendDue(alerts, channels, { ...options, cooldownMs: settings.cooldownMs });
  } catch (error) {
    return { due: alerts, outcomes: [], problems: [`no alert was sent: ${reasonText(error)}`] };
  }
}

async function sendDue(
  alerts: readonly Alert[],
  channels: readonly Channel[],
  options: RaiseOptions & { readonly cooldownMs: number },
): Promise<Raised> {
  const problems: string[] = [];
  // If alerts cannot be recorded, they are sent all the same.
  const due = await claimAlerts(alerts, options).catch((error: unknown) => {
    problems.push(`alerts are sent, and may be sent again: ${reasonText(error)}`);
    return alerts;
  });
  if (due.length === 0) return { due, outcomes: [], problems };
  const outcomes = await deliver(due, channels, options);
  const hasArrived = outcomes.some(({ delivery }) => delivery !== 'failed');
  await settleAlerts(due, hasArrived, options).catch((error: unknown) => {
    problems.push(`which alerts were sent could not be noted: ${reasonText(error)}`);
  });
  for (const { channel, delivery, reason } of outcomes)
    if (delivery !== 'sent')
      problems.push(`alert by ${channel} ${delivery === 'failed' ? 'failed' : 'sent in part'}: ${reason}`);
  return { due, outcomes, problems };
}
