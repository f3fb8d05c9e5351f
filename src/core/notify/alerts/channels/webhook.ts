// Sends alerts to any HTTP endpoint: one POST of a JSON document, signed when there is a secret. Receivers check X-Archiver-Signature,
// HMAC-SHA256 over `<X-Archiver-Timestamp>.<body>`, and refuse old timestamps: docs/alerts.md.
import { createHmac } from 'node:crypto';
import { unescape } from 'node:querystring';
import type { Alert } from '../alert.js';
import type { Channel, ChannelWorld } from '../channel.js';
import { loginIn, postJson } from '../post-json.js';
import type { WebhookSettings } from '../settings.js';

/** Increased when a key is removed or changes its meaning. */
const SCHEMA_VERSION = 1;

/** Returns the JSON text that is sent. */
const webhookBody = (alerts: readonly Alert[]): string => JSON.stringify({ schemaVersion: SCHEMA_VERSION, alerts });

/** Returns the signature of a body sent at this time, in seconds since 1970: `sha256=<hex>`. */
const signatureOf = (secret: string, seconds: number, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;

export function webhookChannel({ webhookUrl, webhookSecret }: WebhookSettings, world: ChannelWorld): Channel {
  return {
    name: 'webhook',
    secrets: [webhookUrl, webhookSecret ?? '', ...secretParts(webhookUrl)],
    async send(alerts, signal) {
      const body = webhookBody(alerts);
      const headers = (): Record<string, string> => {
        const seconds = Math.floor(world.now().getTime() / 1000);
        return {
          'x-archiver-delivery': alerts[0]?.alertId ?? '',
          'x-archiver-timestamp': String(seconds),
          ...(webhookSecret === null ? {} : { 'x-archiver-signature': signatureOf(webhookSecret, seconds, body) }),
        };
      };
      await postJson({ url: new URL(webhookUrl), body, headers, signal }, world);
      return undefined;
    },
  };
}

/** Returns the parts of an address that may be secret and may be repeated in its server's answers. */
export function secretParts(address: string): readonly string[] {
  const url = new URL(address);
  const { username, password, pathname, search } = url;
  const login = [username, password, unescape(password), loginIn(url)];
  return [...login, search.slice(1), pathname.length > 1 ? pathname : ''];
}
