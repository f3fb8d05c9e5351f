// The common part of the commands about one channel.
import { arg } from '../../../cli/arg.js';
import type { Places } from '../../../cli/context.js';
import { CHANNEL_NAMES, type ChannelName } from '../../../core/notify/alerts/channel.js';
import type { AlertSettings, ChannelSettings } from '../../../core/notify/alerts/settings.js';
import { ArchiverError } from '../../../core/platform/failures/errors.js';

/** The name of a channel; required. */
export const channelArg = arg.choice(...CHANNEL_NAMES)('CHANNEL', { describe: 'email, slack, webhook or cloudwatch' });

/** The command that configures each channel. */
export const HOW_TO_CONFIGURE: Readonly<Record<ChannelName, string>> = {
  email: 'archiver alerts configure email --smtp-host HOST --smtp-from ADDRESS --recipients ADDRESS,…',
  slack: 'archiver alerts configure slack --webhook-url-file FILE',
  webhook: 'archiver alerts configure webhook --webhook-url https://…',
  cloudwatch: 'archiver alerts configure cloudwatch',
};

/**
 * Turns a channel on or off. CloudWatch needs nothing but credentials, so it can be on without ever being configured. @throws not-found for
 * one that is not configured
 */
export async function switchChannel(
  name: ChannelName,
  isEnabled: boolean,
  { home }: Pick<Places, 'home'>,
): Promise<AlertSettings> {
  const { changeAlertSettings, DEFAULT_CLOUDWATCH, NO_ALERTS } =
    await import('../../../core/notify/alerts/settings.js');
  return await changeAlertSettings(home, (before) => {
    if (before === undefined && name !== 'cloudwatch') throw notConfigured('there is no alert configuration', name);
    const settings = before ?? NO_ALERTS;
    const its = settings[name] ?? (name === 'cloudwatch' && isEnabled ? DEFAULT_CLOUDWATCH : undefined);
    if (its === undefined) throw notConfigured(`${name} is not configured`, name);
    return { ...settings, [name]: { ...its, isEnabled } };
  });
}

/** Returns the error for a channel that is not configured, with the command that configures it. */
export const notConfigured = (what: string, name: ChannelName): ArchiverError =>
  new ArchiverError('not-found', what, { hint: HOW_TO_CONFIGURE[name] });

/** A channel as documents show it: without secrets, and with only the server of addresses. */
export function shownChannel(name: ChannelName, { email, slack, webhook, cloudwatch }: ChannelSettings) {
  const shown = {
    email: email && emailShown(email),
    slack: slack && slackShown(slack),
    webhook: webhook && webhookShown(webhook),
    cloudwatch,
  }[name];
  return { channel: name, isConfigured: shown !== null, ...(shown ?? { isEnabled: false }) };
}

type Of<N extends ChannelName> = NonNullable<ChannelSettings[N]>;

const emailShown = ({ smtpPassword, ...shown }: Of<'email'>) => ({
  ...shown,
  hasSecret: smtpPassword !== null,
});

const slackShown = ({ webhookUrl, channel, ...shown }: Of<'slack'>) => ({
  ...shown,
  slackChannel: channel,
  server: new URL(webhookUrl).host,
});

const webhookShown = ({ webhookUrl, webhookSecret, isEnabled }: Of<'webhook'>) => ({
  isEnabled,
  server: new URL(webhookUrl).host,
  hasSecret: webhookSecret !== null,
});
