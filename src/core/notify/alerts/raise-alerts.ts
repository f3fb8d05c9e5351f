// Raises alerts: those that are due go to every channel that is on. For budgets and for those who watch fleets. What it
// cannot do it tells, and never throws: the work that raised an alert is done.
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
  /** What was sent; the others were sent within the cooldown. */
  readonly due: readonly Alert[];
  /** Empty where no channel is on. */
  readonly outcomes: readonly Outcome[];
  /** What went wrong, in words. */
  readonly problems: readonly string[];
}

/** Sends what is due to the channels that are on. Never throws. */
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
  // An alert that cannot be noted is sent all the same.
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
