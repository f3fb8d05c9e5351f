// The pair of keys that fleet configs are signed with: PKCS#8 and SPKI in PEM. Neither file is ever overwritten.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiverError, noneOn, systemCode } from '../../failures/errors.js';
import { fileFailure } from '../../failures/file-failure.js';
import { printable } from '../../paths/raw-path.js';
import { syncFolder } from '../../state/sync-folder.js';
import { ed25519, keyIdOf } from './signature.js';

export const PRIVATE_KEY_FILE = 'fleet-private.pem';
export const PUBLIC_KEY_FILE = 'fleet-public.pem';

export interface MadeKeys {
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
  readonly keyId: string;
}

/** @throws usage when the PEM is not that of an ed25519 private key without a passphrase */
export const readPrivateKey = (pem: string): KeyObject =>
  ed25519(pem, { label: 'PRIVATE KEY', noun: 'a private key without a passphrase', parse: createPrivateKey });

/** Makes a pair of keys in `folder`, which is made where it is missing. @throws conflict where one of the files exists; access-denied, no-space, io */
export async function makeSigningKeys(folder: string): Promise<MadeKeys> {
  const privateKeyFile = join(folder, PRIVATE_KEY_FILE);
  const publicKeyFile = join(folder, PUBLIC_KEY_FILE);
  for (const path of [privateKeyFile, publicKeyFile]) if (await isThere(path)) throw exists(path);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await writing(folder, () => mkdir(folder, { recursive: true }));
  await writeNew(privateKeyFile, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 0o600);
  try {
    await writeNew(publicKeyFile, String(publicKey.export({ type: 'spki', format: 'pem' })), 0o644);
  } catch (error) {
    await rm(privateKeyFile, { force: true });
    throw error;
  }
  await writing(folder, () => syncFolder(folder));
  return { privateKeyFile, publicKeyFile, keyId: keyIdOf(publicKey) };
}

const exists = (path: string): ArchiverError =>
  new ArchiverError('conflict', `${printable(path)} exists and is not overwritten`, {
    hint: 'name another folder with --out',
  });

/** A link to nothing counts. */
async function isThere(path: string): Promise<boolean> {
  const found = await writing(path, () => lstat(path).catch(noneOn('ENOENT')));
  return found !== undefined;
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  await writing(path, async () => {
    const file = await open(path, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  });
}

async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw systemCode(error) === 'EEXIST' ? exists(path) : fileFailure('write', path, error);
  }
}
