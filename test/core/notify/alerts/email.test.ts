import { describe, expect, test } from 'vitest';
import { newAlert, sampleAlert } from '../../../../src/core/notify/alerts/alert.js';
import { emailChannel } from '../../../../src/core/notify/alerts/channels/email.js';
import { deliver } from '../../../../src/core/notify/alerts/deliver.js';
import type { EmailSettings } from '../../../../src/core/notify/alerts/settings.js';
import { startSilentServer } from '../../../support/silent-server.js';
import { startSmtp } from '../../../support/smtp-server.js';
import { TEST_CERTIFICATE } from '../../../support/test-certificate.js';

const NOW = new Date('2026-03-04T05:06:07Z');
const PASSWORD = 'correct horse battery';
const { signal } = new AbortController();

const settings = (more: Partial<EmailSettings>): EmailSettings => ({
  smtpHost: '127.0.0.1',
  smtpPort: 587,
  smtpUseTls: true,
  smtpUsername: null,
  smtpPassword: null,
  smtpFrom: 'archiver <archiver@lab.example>',
  recipients: ['pi@lab.example'],
  ...more,
});

const channelOf = (more: Partial<EmailSettings>, ca: string | undefined = TEST_CERTIFICATE) =>
  emailChannel(settings(more), { env: {}, network: { env: {}, ca }, now: () => NOW });

const send = async (more: Partial<EmailSettings>, ca?: string) =>
  (await deliver([sampleAlert('warning', NOW)], [channelOf(more, ca)], { signal }))[0];

describe('what arrives', () => {
  test('is encrypted by STARTTLS on any port but 465, after a login', async () => {
    const { port, mails } = await startSmtp({ password: PASSWORD });

    const outcome = await send({ smtpPort: port, smtpUsername: 'lab', smtpPassword: PASSWORD });

    expect(outcome).toEqual({ channel: 'email', delivery: 'sent', reason: null, hint: null });
    expect(mails).toMatchObject([
      { from: 'archiver@lab.example', to: ['pi@lab.example'], user: 'lab', isSecure: true },
    ]);
    expect(mails[0]?.text).toContain('Subject: [archiver alert] test, warning: cost_threshold, project sample-project');
    expect(mails[0]?.text).toContain('cost: $85.00 of $100.00 (85%)');
  });

  test('goes in the clear where that was chosen, though the server offers more', async () => {
    const { port, mails } = await startSmtp();

    await send({ smtpPort: port, smtpUseTls: false });

    expect(mails).toMatchObject([{ isSecure: false, user: undefined }]);
  });

  test('is one mail for a storm of alerts', async () => {
    const { port, mails } = await startSmtp();
    const given = { type: 'stale_writer', severity: 'warning', description: 'late', recommendation: 'look' } as const;
    const alerts = Array.from({ length: 1000 }, (_, at) => newAlert({ ...given, writerId: `w${at}` }, NOW));

    await deliver(alerts, [channelOf({ smtpPort: port })], { signal });

    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('Subject: [archiver alert] warning: 1000 alerts');
    expect(mails[0]?.text).toContain('and 980 more alerts');
  });

  test('has no line that a name brings', async () => {
    const { port, mails } = await startSmtp();
    const odd = newAlert({ ...sampleAlert('warning', NOW), project: 'x\r\nBcc: thief@evil.example\r\n\r\nhello' }, NOW);

    await deliver([odd], [channelOf({ smtpPort: port })], { signal });

    expect(mails).toMatchObject([{ to: ['pi@lab.example'] }]);
    expect(mails[0]?.text).not.toMatch(/^Bcc/m);
  });
});

test('on the port for it, TLS begins with the first byte', async () => {
  const { port, mails } = await startSmtp({ isImplicitTls: true });
  const world = { env: {}, network: { env: {}, ca: TEST_CERTIFICATE }, now: () => NOW };

  const [outcome] = await deliver(
    [sampleAlert('info', NOW)],
    [emailChannel(settings({ smtpPort: port }), world, port)],
    {
      signal,
    },
  );

  expect([outcome?.delivery, mails[0]?.isSecure]).toEqual(['sent', true]);
});

describe('nothing is sent', () => {
  test('to a server that offers no STARTTLS', async () => {
    const { port, mails } = await startSmtp({ offersStartTls: false, password: PASSWORD });

    const outcome = await send({ smtpPort: port, smtpUsername: 'lab', smtpPassword: PASSWORD });

    expect(outcome).toMatchObject({ delivery: 'failed', hint: expect.stringContaining('--smtp-use-tls=false') });
    expect(mails).toEqual([]);
  });

  test('to a server whose certificate nobody vouches for', async () => {
    const { port, mails } = await startSmtp();
    const { delivery } = (
      await deliver(
        [sampleAlert('info', NOW)],
        [emailChannel(settings({ smtpPort: port }), { env: {}, network: { env: {}, ca: undefined }, now: () => NOW })],
        { signal },
      )
    )[0]!;

    expect([delivery, mails]).toEqual(['failed', []]);
  });

  test('with a password that is refused, which is not told though the server repeats it', async () => {
    const base64 = Buffer.from(`\0lab\0${PASSWORD}`).toString('base64');
    const { port } = await startSmtp({ refusesLogin: `no: ${PASSWORD} ${base64}` });

    const outcome = await send({ smtpPort: port, smtpUsername: 'lab', smtpPassword: PASSWORD });

    expect(outcome?.delivery).toBe('failed');
    expect(outcome?.reason).toContain('(hidden)');
    expect(JSON.stringify(outcome)).not.toContain(PASSWORD);
    expect(JSON.stringify(outcome)).not.toContain(base64);
  });

  test('where all recipients are refused; where some are, the others get it', async () => {
    const { port, mails } = await startSmtp({ refuses: ['gone@lab.example'] });

    const none = await send({ smtpPort: port, recipients: ['gone@lab.example'] });
    const some = await send({ smtpPort: port, recipients: ['gone@lab.example', 'pi@lab.example'] });

    expect(none).toMatchObject({ delivery: 'failed', reason: expect.stringContaining('no such user') });
    expect(some).toMatchObject({ delivery: 'partial', reason: expect.stringContaining('gone@lab.example') });
    expect(mails.map(({ to }) => to)).toEqual([['pi@lab.example']]);
  });
});

test('a server that says nothing is given up when its time is over, and keeps no other waiting', async () => {
  const silent = await startSilentServer();
  const { port } = await startSmtp();
  const over = new AbortController();
  const quick = channelOf({ smtpPort: port });
  const late = channelOf({ smtpPort: Number(new URL(silent.endpoint).port) });
  // The time of the silent one is over as soon as the other has had its mail.
  const watched = {
    ...quick,
    send: async (...call: Parameters<typeof quick.send>) => {
      const sent = await quick.send(...call);
      over.abort();
      return sent;
    },
  };

  let times = 0;
  const outcomes = await deliver([sampleAlert('info', NOW)], [late, watched], {
    signal,
    deadline: () => (times++ === 0 ? over.signal : signal),
  });
  await silent.close();

  expect(outcomes).toMatchObject([
    { delivery: 'failed', reason: 'it took too long and was given up' },
    { delivery: 'sent' },
  ]);
});
