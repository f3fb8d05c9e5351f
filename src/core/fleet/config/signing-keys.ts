// The key pair that fleet configs are signed with: PKCS#8 and SPKI in PEM. Existing files are never overwritten.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { writeNewPair } from '../../platform/state/new-pair.js';
import { ed25519, keyIdOf } from './signature.js';

export const PRIVATE_KEY_FILE = 'config-signing-private.pem';
export const PUBLIC_KEY_FILE = 'config-signing-public.pem';

export interface MadeKeys {
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
  readonly keyId: string;
}

/** Parses a private key. @throws usage when the PEM is not that of an ed25519 private key without a passphrase */
export const readPrivateKey = (pem: string): KeyObject =>
  ed25519(pem, { label: 'PRIVATE KEY', noun: 'a private key without a passphrase', parse: createPrivateKey });

/** Makes a key pair in `folder`, which is created if missing. @throws conflict when one of the files exists; access-denied, no-space, io */
export async function makeSigningKeys(folder: string): Promise<MadeKeys> {
  const privateKeyFile = join(folder, PRIVATE_KEY_FILE);
  const publicKeyFile = join(folder, PUBLIC_KEY_FILE);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const privateText = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const publicText = String(publicKey.export({ type: 'spki', format: 'pem' }));
  await writeNewPair(
    folder,
    [
      { path: privateKeyFile, text: privateText, mode: 0o600 },
      { path: publicKeyFile, text: publicText, mode: 0o644 },
    ],
    'name another folder with --out',
  );
  return { privateKeyFile, publicKeyFile, keyId: keyIdOf(publicKey) };
}
