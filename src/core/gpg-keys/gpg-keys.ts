// A pair of OpenPGP keys as GnuPG reads them: version 4, the private one locked with a passphrase unless there is none.
import { join } from 'node:path';
import { usageError } from '../platform/failures/errors.js';
import { refuseExisting, writeNewPair } from '../platform/state/new-pair.js';

const PRIVATE_KEY_FILE = 'private.key';
const PUBLIC_KEY_FILE = 'public.key';

export interface GpgKeyOptions {
  /** `x25519`: an Ed25519 key that signs and an X25519 one that encrypts, under the algorithm ids that GnuPG 2.1 and later knows. */
  readonly type: 'rsa' | 'x25519';
  /** Of RSA. */
  readonly bits: number;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Undefined: the private key is not encrypted. */
  readonly passphrase: string | undefined;
}

export interface MadeGpgKeys {
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
  /** 40 hex digits; the last 16 are the id of the key. */
  readonly fingerprint: string;
  readonly gpgKeyId: string;
  /** Of the key below it that encrypts. */
  readonly encryptionKeyId: string;
  readonly isKeyEncrypted: boolean;
}

/** The two files in a folder. */
export const gpgKeyFiles = (folder: string): readonly [privateKey: string, publicKey: string] => [
  join(folder, PRIVATE_KEY_FILE),
  join(folder, PUBLIC_KEY_FILE),
];

const HINT = 'name another folder with --destination';

/** Before anything is asked or made. @throws conflict where one of the files exists */
export const refuseOtherKeys = (folder: string): Promise<void> => refuseExisting(gpgKeyFiles(folder), HINT);

/** @throws usage for a name or an address that no user id can hold */
export function checkUserId({ name, email }: Pick<GpgKeyOptions, 'name' | 'email'>): void {
  if (name !== undefined && (/[\p{Cc}<>()@]/u.test(name) || name.trim() === ''))
    throw usageError('--name cannot hold < > ( ) @ or control characters');
  if (email !== undefined && !/^[^\s\p{Cc}<>()@]+@[^\s\p{Cc}<>()@]+$/u.test(email))
    throw usageError('--email wants an address such as anna@example.org');
}

/**
 * Makes a pair of keys in `folder`, which is made where it is missing. RSA of 4096 bits takes seconds.
 * @throws conflict where one of the files exists; usage, access-denied, no-space, io
 */
export async function makeGpgKeys(folder: string, options: GpgKeyOptions): Promise<MadeGpgKeys> {
  checkUserId(options);
  const { generateKey } = await import('openpgp');
  const { type, bits, name, email, passphrase } = options;
  const made = await generateKey({
    ...(type === 'rsa' ? { type, rsaBits: bits } : { type: 'ecc', curve: 'ed25519Legacy' }),
    userIDs: { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) },
    ...(passphrase === undefined ? {} : { passphrase }),
    format: 'object',
  });
  const [privateKeyFile, publicKeyFile] = gpgKeyFiles(folder);
  await writeNewPair(
    folder,
    [
      { path: privateKeyFile, text: made.privateKey.armor(), mode: 0o600 },
      { path: publicKeyFile, text: made.publicKey.armor(), mode: 0o644 },
    ],
    HINT,
  );
  const encrypting = await made.publicKey.getEncryptionKey();
  return {
    privateKeyFile,
    publicKeyFile,
    fingerprint: made.publicKey.getFingerprint().toUpperCase(),
    gpgKeyId: made.publicKey.getKeyID().toHex().toUpperCase(),
    encryptionKeyId: encrypting.getKeyID().toHex().toUpperCase(),
    isKeyEncrypted: passphrase !== undefined,
  };
}
