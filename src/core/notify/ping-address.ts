// Where pings go.
import { usageError } from '../platform/failures/errors.js';

/** @throws usage for what is no address; the message does not repeat it, as it is a secret */
export function pingAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw usageError('--ping-url wants an address that begins with https:// or http://');
}
