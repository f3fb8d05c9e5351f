// The public half of the key that configs are signed with, as it goes to every machine of a fleet.
import { createPublicKey } from 'node:crypto';
import { usageError } from '../../failures/errors.js';
import { printable } from '../../paths/raw-path.js';

/** The key in PEM, and nothing else of the file. @throws usage for a private key, which must stay where it is, and for no ed25519 key */
export function publicKeyPem(text: string, file: string): string {
  const name = printable(file);
  if (text.includes('PRIVATE KEY')) {
    throw usageError(
      `${name} holds a private key, which must not leave the machine that signs`,
      'name the public key that `archiver fleetagent config-keygen` wrote beside it',
    );
  }
  try {
    const key = createPublicKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key.export({ type: 'spki', format: 'pem' }).toString();
  } catch {
    // Said below: what OpenSSL says of it helps nobody.
  }
  throw usageError(`${name} is not an ed25519 public key in PEM`, 'archiver fleetagent config-keygen makes a pair');
}
