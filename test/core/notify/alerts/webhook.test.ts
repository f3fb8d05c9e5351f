import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newAlert, sampleAlert } from '../../../../src/core/notify/alerts/alert.js';
import { slackChannel } from '../../../../src/core/notify/alerts/channels/slack.js';
import { webhookChannel } from '../../../../src/core/notify/alerts/channels/webhook.js';
import type { Channel } from '../../../../src/core/notify/alerts/channel.js';
import { deliver, type Outcome } from '../../../../src/core/notify/alerts/deliver.js';
import { startHook } from '../../../support/hook-server.js';
import { checkKeys } from '../../../support/check-json.js';
import { FAST_RETRY } from '../../../support/open-s3.js';
import { TEST_CERTIFICATE } from '../../../support/test-certificate.js';

const NOW = new Date('2026-03-04T05:06:07Z');
const SECONDS = '1772600767';
const { signal } = new AbortController();
const world = (ca?: string) => ({ env: {}, network: { env: {}, ca }, now: () => NOW, retry: FAST_RETRY });
const alert = sampleAlert('critical', NOW);

const webhook = (webhookUrl: string, webhookSecret: string | null = null, ca?: string): Channel =>
  webhookChannel({ webhookUrl, webhookSecret }, world(ca));
const sendBy = async (channel: Channel, alerts = [alert]): Promise<Outcome> =>
  (await deliver(alerts, [channel], { signal }))[0]!;

describe('a webhook', () => {
  test('gets the alerts as JSON, with a signature over time and body', async () => {
    const hook = await startHook();

    const outcome = await sendBy(webhook(`${hook.url}/a?b=c`, 'shared secret'));

    const [request] = hook.requests;
    const expected = createHmac('sha256', 'shared secret').update(`${SECONDS}.${request?.body}`).digest('hex');
    expect(outcome.delivery).toBe('sent');
    expect(request).toMatchObject({
      path: '/a?b=c',
      headers: {
        'content-type': 'application/json',
        'x-archiver-delivery': alert.alertId,
        'x-archiver-timestamp': SECONDS,
        'x-archiver-signature': `sha256=${expected}`,
      },
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({ schemaVersion: 1, alerts: [alert] });
    expect(() => checkKeys('schemaVersion alerts', JSON.parse(request?.body ?? '') as object)).not.toThrow();
  });

  test('without a secret is not signed', async () => {
    const hook = await startHook();

    await sendBy(webhook(hook.url));

    expect(hook.requests[0]?.headers).not.toHaveProperty('x-archiver-signature');
  });

  test('is tried again after 5xx, 429 and a lost connection, as the same delivery', async () => {
    const hook = await startHook([
      { status: 503 },
      { status: 429, headers: { 'retry-after': '0' } },
      'cut',
      { status: 204 },
    ]);

    const outcome = await sendBy(webhook(hook.url));

    expect(outcome.delivery).toBe('sent');
    expect(hook.requests.map(({ headers }) => headers['x-archiver-delivery'])).toEqual(Array(4).fill(alert.alertId));
  });

  test('is given up when it keeps failing, and says what it answered', async () => {
    const hook = await startHook([{ status: 500, body: 'out of order' }]);

    const outcome = await sendBy(webhook(hook.url));

    expect(outcome).toMatchObject({ delivery: 'failed', reason: expect.stringMatching(/500: out of order.*4 times/) });
    expect(hook.requests).toHaveLength(4);
  });

  test.each([
    ['a wait that is too long', { status: 429, headers: { 'retry-after': '3600' } }],
    ['a refusal', { status: 404 }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
  ])('is asked once where it answers with %s', async (_what, answer) => {
    const hook = await startHook([answer]);

    const outcome = await sendBy(webhook(hook.url));

    expect([outcome.delivery, hook.requests.length]).toEqual(['failed', 1]);
  });

  test('has its time, and no other waits for it', async () => {
    const over = new AbortController();
    const slow = await startHook(['silent'], { onRequest: () => over.abort() });
    const quick = await startHook();

    const outcomes = await deliver([alert], [webhook(slow.url), webhook(quick.url)], {
      signal,
      deadline: () => over.signal,
    });

    expect(outcomes[0]).toMatchObject({ delivery: 'failed', reason: 'it took too long and was given up' });
    expect(slow.requests).toHaveLength(1);
  });

  test('with a certificate that nobody vouches for gets nothing; with AWS_CA_BUNDLE it does', async () => {
    const hook = await startHook(undefined, { isTls: true });

    const refused = await sendBy(webhook(hook.url));
    const trusted = await sendBy(webhook(hook.url, null, TEST_CERTIFICATE));

    expect(refused).toMatchObject({ delivery: 'failed', reason: expect.stringContaining('no secure connection') });
    expect([trusted.delivery, hook.requests.length]).toEqual(['sent', 1]);
  });

  test('never finds its address or secret in what is told', async () => {
    const address = '/services/T0SECRET/B0SECRET?key=topsecret';
    const hook = await startHook([{ status: 403, body: `no ${address} with hmacsecret` }]);
    const gone = webhook(`http://127.0.0.1:9${address}`, 'hmacsecret');

    const told = JSON.stringify([await sendBy(webhook(`${hook.url}${address}`, 'hmacsecret')), await sendBy(gone)]);

    expect(told).toContain('answered 403');
    expect(told).not.toMatch(/SECRET|topsecret|hmacsecret/);
  });

  test('nor the login in it, however the server repeats that', async () => {
    const login = Buffer.from('lab:p@ssphrase%').toString('base64');
    const hook = await startHook([{ status: 401, body: `lab:p@ssphrase% Basic ${login}` }]);

    const told = await sendBy(webhook(hook.url.replace('//', '//lab:p%40ssphrase%@'), null));

    expect(hook.requests[0]?.headers.authorization).toBe(`Basic ${login}`);
    expect(told.reason).toContain('answered 401');
    expect(told.reason).not.toMatch(new RegExp(`ssphrase|${login}`));
  });
});

describe('Slack', () => {
  test('gets text in which nothing is markup, and who sends it', async () => {
    const hook = await startHook();
    const odd = newAlert({ ...alert, description: '<!channel> & co\u001b[31m' }, NOW);

    await sendBy(slackChannel({ webhookUrl: hook.url, channel: '#storage', username: 'Archiver Monitor' }, world()), [
      odd,
    ]);

    const sent = JSON.parse(hook.requests[0]?.body ?? '') as Record<string, string>;
    expect(sent).toMatchObject({ channel: '#storage', username: 'Archiver Monitor' });
    expect(sent['text']).toContain('&lt;!channel&gt; &amp; co\\x1b[31m');
  });

  test('says why it refuses', async () => {
    const hook = await startHook([{ status: 404, body: 'no_service' }]);

    const outcome = await sendBy(slackChannel({ webhookUrl: hook.url, channel: null, username: 'x' }, world()));

    expect(outcome.reason).toMatch(/answered 404: no_service$/);
  });
});
