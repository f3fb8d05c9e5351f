// The signature of a config, a file beside it: ed25519 over the exact bytes (RFC 8032, no hash before). It is verified
// before anything is parsed. docs/format.md describes the file.
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readObject, readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError, integrityError, usageError } from '../../platform/failures/errors.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { quoted } from './problems.js';

const ALGORITHM = 'ed25519';
const SIGNATURE_BYTES = 64;
const MAX_SIDECAR_BYTES = 4096;
const WHAT = 'the signature';
const SIGN_AGAIN = { hint: 'sign the config again: archiver fleetagent sign-config CONFIG_FILE --key KEY_FILE' };

/** What the file beside a config says. */
const SIDECAR = s.schema(() =>
  s.strictObject({
    formatVersion: s.literal(1),
    algorithm: s.literal(ALGORITHM),
    /** `sha256:` and the first 16 hex digits of the SHA-256 of the 32 bytes of the public key. */
    keyId: s.text,
    signature: s.parsed(signatureOf, `${SIGNATURE_BYTES} bytes in base64`),
  }),
);
export type Sidecar = s.Read<typeof SIDECAR>;

function signatureOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node passes over what is no base64.
  return bytes.byteLength === SIGNATURE_BYTES && bytes.toString('base64') === text ? bytes : undefined;
}

/** Signs these bytes of a config with an ed25519 key: the file for beside it, and the name of the key. */
export function signConfig(bytes: Uint8Array, privateKey: KeyObject): { bytes: Buffer; keyId: string } {
  const signature = sign(null, bytes, privateKey).toString('base64');
  const keyId = keyIdOf(createPublicKey(privateKey));
  const text = `${JSON.stringify({ formatVersion: 1, algorithm: ALGORITHM, keyId, signature })}\n`;
  return { bytes: Buffer.from(text), keyId };
}

/** Reads the file beside a config. @throws integrity, with what is wrong with it */
export function readSidecar(bytes: Buffer): Sidecar {
  if (bytes.byteLength > MAX_SIDECAR_BYTES) throw refused(`${WHAT} is larger than ${MAX_SIDECAR_BYTES} bytes`);
  const parsed = readObject(parseBoundedJson(bytes.toString('utf8'), 2, WHAT), WHAT, SIGN_AGAIN);
  const { formatVersion, algorithm } = parsed;
  if (formatVersion !== 1) throw refused(`${WHAT} is of a format that this archiver does not read`);
  if (typeof algorithm === 'string' && algorithm !== ALGORITHM)
    throw refused(`${WHAT} was made with ${quoted(algorithm)} and not with ${ALGORITHM}`);
  return readValue(SIDECAR, parsed, WHAT, SIGN_AGAIN);
}

/**
 * Checks that a config is what the owner of the key has signed.
 * @throws integrity when it is not; usage when the text is no public key
 */
export function verifyConfig(bytes: Uint8Array, sidecarBytes: Buffer, publicKeyPem: string): void {
  const publicKey = readPublicKey(publicKeyPem);
  const { keyId, signature } = readSidecar(sidecarBytes);
  const known = keyIdOf(publicKey);
  if (keyId !== known)
    throw refused(`the config was signed with the key ${quoted(keyId)}, and ${known} is the one that is trusted`);
  if (!verify(null, bytes, publicKey, signature))
    throw refused(`the config is not what was signed with the key ${known}`);
}

const refused = (message: string): Error => integrityError(message, SIGN_AGAIN);

/** `name`: of its file, printable. @throws usage when the PEM is not that of an ed25519 public key */
export function readPublicKey(pem: string, name = 'the key file'): KeyObject {
  if (/PRIVATE KEY-----/.test(pem))
    throw usageError(
      `${name} holds a private key, which stays with who signs`,
      'agents get the public one, config-signing-public.pem',
    );
  return ed25519(pem, { name, label: 'PUBLIC KEY', noun: 'a public key', parse: createPublicKey });
}

interface KeyForm {
  /** Of the file. */
  readonly name?: string;
  readonly label: string;
  readonly noun: string;
  readonly parse: (pem: string) => KeyObject;
}

/** The one key in a PEM file. @throws usage */
export function ed25519(pem: string, { name = 'the key file', label, noun, parse }: KeyForm): KeyObject {
  if (pem.trim() === '') throw usageError(`${name} is empty, and ${noun} is needed`, HOW_TO_MAKE_KEYS);
  if (!pem.trim().startsWith(`-----BEGIN ${label}-----`) || pem.split('-----BEGIN').length !== 2)
    throw usageError(`${name} is not ${noun} in PEM (${label})`, HOW_TO_MAKE_KEYS);
  let key: KeyObject;
  try {
    key = parse(pem);
  } catch (cause) {
    throw new ArchiverError('usage', `${name} is not ${noun} in PEM: it is damaged`, {
      cause,
      hint: HOW_TO_MAKE_KEYS,
    });
  }
  if (key.asymmetricKeyType === ALGORITHM) return key;
  throw usageError(`${name} is a key of the kind ${key.asymmetricKeyType}, and configs are signed with ${ALGORITHM}`);
}

const HOW_TO_MAKE_KEYS = 'archiver fleetagent config-keygen';

/** Names a public key, as the file beside a config does. */
export function keyIdOf(publicKey: KeyObject): string {
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const digest = createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex');
  return `sha256:${digest.slice(0, 16)}`;
}
