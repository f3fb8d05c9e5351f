// Parses the address for pings.
import { usageError } from '../platform/failures/errors.js';

/** Parses the address. @throws usage for an invalid one; the message does not repeat it, because it is a secret */
export function pingAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw usageError('--ping-url wants an address that begins with https:// or http://');
}
