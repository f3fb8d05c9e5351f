// A real SMTP server in this process.
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.js';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  /** Header and body, long lines in one. */
  readonly text: string;
}

const unfolded = (text: string): string => text.replaceAll('=\r\n', '').replaceAll(/\r\n[ \t]+/g, ' ');

export interface TestSmtp {
  readonly port: number;
  readonly mails: ReceivedMail[];
}

export interface SmtpBehaviour {
  /** TLS from the first byte. */
  readonly isImplicitTls?: boolean;
  readonly offersStartTls?: boolean;
  /** Logins that are refused with this text. */
  readonly refusesLogin?: string;
  /** Recipients that are refused. */
  readonly refuses?: readonly string[];
  /** The password that is right; nobody logs in without one. */
  readonly password?: string;
}

/** Takes mails until the test ends. */
export async function startSmtp({
  isImplicitTls = false,
  offersStartTls = true,
  refusesLogin,
  refuses = [],
  password,
}: SmtpBehaviour = {}): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const options: SMTPServerOptions = {
    secure: isImplicitTls,
    key: TEST_KEY,
    cert: TEST_CERTIFICATE,
    disabledCommands: [
      ...(offersStartTls ? [] : ['STARTTLS']),
      ...(password === undefined && refusesLogin === undefined ? ['AUTH'] : []),
    ],
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onAuth(auth, _session, done) {
      if (refusesLogin === undefined && auth.password === password) return done(null, { user: auth.username ?? '' });
      return done(new Error(refusesLogin ?? 'wrong password'));
    },
    onRcptTo({ address }, _session, done) {
      if (refuses.includes(address)) return done(Object.assign(new Error('no such user here'), { responseCode: 550 }));
      return done();
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.once('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false || mailFrom === undefined ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user === undefined ? undefined : String(session.user),
          isSecure: session.secure,
          text: unfolded(Buffer.concat(parts).toString()),
        });
        done();
      });
    },
  };
  const server = new SMTPServer(options);
  server.on('error', () => undefined); // of connections that were cut
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails };
}
