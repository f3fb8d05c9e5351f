// Opens the configured channels. The code of each channel is loaded only when it is configured.
import type { Channel, ChannelName, ChannelWorld } from './channel.js';
import type { ChannelSettings } from './settings.js';

/** Opens those of the named channels that are configured. @throws usage for a CA bundle that cannot be used */
export async function openChannels(
  names: readonly ChannelName[],
  settings: ChannelSettings,
  world: Omit<ChannelWorld, 'network'>,
): Promise<readonly Channel[]> {
  const { networkOf } = await import('../../store/s3/s3-network.js');
  const network = await networkOf({ env: world.env });
  const opened = await Promise.all(names.map((name) => openChannel(name, settings, { ...world, network })));
  return opened.filter((channel) => channel !== undefined);
}

async function openChannel(
  name: ChannelName,
  { email, slack, webhook, cloudwatch }: ChannelSettings,
  world: ChannelWorld,
): Promise<Channel | undefined> {
  if (name === 'email')
    return email === null ? undefined : (await import('./channels/email.js')).emailChannel(email, world);
  if (name === 'slack')
    return slack === null ? undefined : (await import('./channels/slack.js')).slackChannel(slack, world);
  if (name === 'webhook')
    return webhook === null ? undefined : (await import('./channels/webhook.js')).webhookChannel(webhook, world);
  return cloudwatch === null
    ? undefined
    : (await import('./channels/cloudwatch.js')).cloudwatchChannel(cloudwatch, world);
}
