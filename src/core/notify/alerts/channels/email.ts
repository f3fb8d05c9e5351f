// Sends alerts by mail. Port 465 uses TLS from the first byte; on every other port STARTTLS must succeed before anything else is sent.
// --smtp-use-tls=false sends unencrypted.
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import { ArchiverError, errorText } from '../../../platform/failures/errors.js';
import { printable } from '../../../platform/paths/raw-path.js';
import type { Alert } from '../alert.js';
import type { Channel, ChannelWorld } from '../channel.js';
import { linesOf, titleOf } from '../message.js';
import type { EmailSettings } from '../settings.js';

/** Submissions: RFC 8314. */
const IMPLICIT_TLS_PORT = 465;
/** Limit for connecting, for the greeting, and for silence afterwards. */
const TIMEOUT_MS = 15_000;

type Done<T> = (error?: Error | null, value?: T) => void;

/** Converts a call with a callback to a promise. */
const outcomeOf = <T>(call: (done: Done<T>) => void): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });

/** `implicitTlsPort` is the port where TLS begins with the first byte. */
export function emailChannel(
  settings: EmailSettings,
  { network }: ChannelWorld,
  implicitTlsPort = IMPLICIT_TLS_PORT,
): Channel {
  const { smtpHost, smtpPort, smtpUseTls, smtpUsername, smtpPassword, smtpFrom, recipients } = settings;
  return {
    name: 'email',
    secrets: [smtpPassword ?? '', ...encodedLogins(settings)],
    async send(alerts, signal) {
      const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
      const secure = smtpUseTls && smtpPort === implicitTlsPort;
      const connection = new SMTPConnection({
        host: smtpHost,
        port: smtpPort,
        secure,
        requireTLS: smtpUseTls && !secure,
        ignoreTLS: !smtpUseTls,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        dnsTimeout: TIMEOUT_MS,
        socketCloseTimeout: 0,
        ...(network.ca === undefined ? {} : { tls: { ca: network.ca } }),
      });
      const stop = (): void => connection.close();
      signal.addEventListener('abort', stop, { once: true });
      try {
        signal.throwIfAborted();
        // Errors outside of a call end the connection; further ones may follow.
        const broken = new Promise<never>((_, reject) => void connection.on('error', reject));
        broken.catch(() => undefined);
        await Promise.race([outcomeOf((done) => connection.connect(done)), broken]);
        if (smtpUsername !== null)
          await outcomeOf((done) => connection.login({ user: smtpUsername, pass: smtpPassword ?? '' }, done));
        const message = await mailOf(alerts, settings);
        const envelope = { from: addressIn(smtpFrom), to: [...recipients] };
        const sent = await outcomeOf<SMTPConnectionSendInfo>((done) => connection.send(envelope, message, done));
        connection.quit();
        return refusedText(sent);
      } catch (error) {
        throw withServer(error, `${smtpHost}:${smtpPort}`);
      } finally {
        signal.removeEventListener('abort', stop);
        connection.close();
      }
    },
  };
}

/** Returns the password as encoded in AUTH PLAIN and LOGIN, in case a server repeats it. */
function encodedLogins({ smtpUsername, smtpPassword }: EmailSettings): readonly string[] {
  if (smtpPassword === null) return [];
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return [base64(smtpPassword), base64(`\0${smtpUsername ?? ''}\0${smtpPassword}`)];
}

async function mailOf(alerts: readonly Alert[], { smtpFrom, recipients }: EmailSettings): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const mail = new MailComposer({
    from: smtpFrom,
    to: [...recipients],
    subject: titleOf(alerts),
    text: `${linesOf(alerts).join('\n')}\n`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return await mail.compile().build();
}

/** Returns the address part of `Name <a@b.org>`. */
const addressIn = (text: string): string => /<([^>]*)>\s*$/.exec(text)?.[1] ?? text;

function refusedText(sent: SMTPConnectionSendInfo | undefined): string | undefined {
  const refused = sent?.rejected ?? [];
  if (refused.length === 0) return undefined;
  const why = sent?.rejectedErrors?.[0] === undefined ? '' : `: ${printable(errorText(sent.rejectedErrors[0]))}`;
  return `${refused.join(', ')} did not get it${why}`;
}

function withServer(error: unknown, server: string): Error {
  const hint = /STARTTLS/i.test(errorText(error))
    ? 'use port 465 for TLS from the start, or --smtp-use-tls=false to send in the clear'
    : undefined;
  return new ArchiverError('store', `${server}: ${printable(errorText(error))}`, { hint });
}
