// Failures without an answer of the store: no credentials, no connection, or a broken one.
import { systemCode } from '../../platform/failures/errors.js';
import { tlsTrouble } from '../tls-trouble.js';
import type { S3Call, SdkError, Verdict } from './s3-verdict.js';

const NETWORK: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known (DNS)',
  EAI_AGAIN: 'its name could not be looked up (DNS)',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  EPROTO: 'the TLS handshake failed',
};

/** Errors without a connection: nothing was sent. */
const UNREACHED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
const isConnecting = (error: SdkError): boolean => error.message.startsWith('no connection ');

/** Returns the verdict on a failure without an answer. */
export function networkVerdict(error: SdkError, call: S3Call): Verdict {
  const host =
    call.endpoint === undefined
      ? `the S3 endpoint${call.region === undefined ? '' : ` of ${call.region}`}`
      : new URL(call.endpoint).host;
  if (error.name === 'CredentialsProviderError' || /credentials?/i.test(error.name)) {
    return {
      code: 'credentials',
      text: `no usable credentials: ${error.message}`,
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile',
    };
  }
  const system = systemCode(error) ?? '';
  const reason = UNREACHED.has(system) || isConnecting(error) ? { reason: 'Unreached' } : {};
  if (error.name === 'ProxyError') {
    const hint = 'check HTTPS_PROXY; name in NO_PROXY what is reached without it';
    return { code: 'store', text: error.message, hint, retriable: system !== '', ...reason };
  }
  const untrusted = tlsTrouble(system, host, error.message);
  if (untrusted !== undefined) return { code: 'store', ...untrusted };
  if (system.startsWith('ERR_SSL')) {
    const hint = 'check --endpoint-url: is it a server that speaks https?';
    return { code: 'store', text: `no secure connection to ${host}: ${error.message}`, hint, retriable: true };
  }
  const known = NETWORK[system];
  if (known !== undefined) {
    const detail = system === 'ETIMEDOUT' ? ` (${error.message})` : '';
    return {
      code: system === 'ETIMEDOUT' ? 'stalled' : 'store',
      text: `${host} could not be reached or was lost: ${known}${detail}`,
      hint: 'check the network, --endpoint-url and HTTPS_PROXY',
      retriable: true,
      ...reason,
    };
  }
  // Half an XML document, a closed socket, an unknown system code: nothing that the request itself could have caused.
  return {
    code: 'store',
    text: `${host}: ${error.message}`,
    retriable: system !== '' || /socket hang up|aborted|parse|XML/i.test(error.message),
  };
}
