// Sends alerts to a Slack webhook. Only webhooks of legacy integrations honour channel and username; apps ignore them.
import { titleOf, linesOf } from '../message.js';
import type { Channel, ChannelWorld } from '../channel.js';
import { postJson } from '../post-json.js';
import type { SlackSettings } from '../settings.js';
import { secretParts } from './webhook.js';

// https://docs.slack.dev/messaging/formatting-message-text: the three characters that are always special.
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function slackChannel({ webhookUrl, channel, username }: SlackSettings, world: ChannelWorld): Channel {
  return {
    name: 'slack',
    secrets: [webhookUrl, ...secretParts(webhookUrl)],
    async send(alerts, signal) {
      const text = escaped([titleOf(alerts), ...linesOf(alerts)].join('\n'));
      const body = JSON.stringify({ text, username, ...(channel === null ? {} : { channel }) });
      await postJson({ url: new URL(webhookUrl), body, signal }, world);
      return undefined;
    },
  };
}
