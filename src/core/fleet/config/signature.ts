// The signature of a config, a file beside it: ed25519 over the exact bytes (RFC 8032, no hash before). It is verified
// before anything is parsed. docs/format.md describes the file.
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readObject, readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError, integrityError, usageError } from '../../platform/failures/errors.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { checkFleetConfig } from './check-fleet-config.js';
import { quoted } from './problems.js';

const ALGORITHM = 'ed25519';
const SIGNATURE_BYTES = 64;
/** Two are needed to change from one to the next. */
const MAX_KEYS = 8;
const MAX_SIDECAR_BYTES = 4096;
const WHAT = 'the signature';
const SIGN_AGAIN = { hint: 'sign the config again: archiver fleetagent sign-config CONFIG_FILE --key KEY_FILE' };

const BASE64 = s.parsed(signatureOf, `${SIGNATURE_BYTES} bytes in base64`);
const SIGNED = {
  /** `sha256:` and the first 16 hex digits of the SHA-256 of the 32 bytes of the public key. */
  keyId: s.text,
  signature: BASE64,
  /** Of what `versionStatement` returns; missing in files of earlier programs. */
  versionSignature: s.optional(BASE64),
};
/** What the file beside a config says that one key has signed. */
const BY_ONE = s.schema(() =>
  s.strictObject({ formatVersion: s.literal(1), algorithm: s.literal(ALGORITHM), ...SIGNED }),
);
/** The same, by several keys. */
const BY_SEVERAL = s.schema(() =>
  s.strictObject({
    formatVersion: s.literal(2),
    algorithm: s.literal(ALGORITHM),
    signatures: s.listOf(s.strictObject(SIGNED)),
  }),
);

/** A signature as the file has it. */
export interface Signature {
  readonly keyId: string;
  readonly signature: Buffer;
  /** Says that the key has signed this version for this writer, without the config. */
  readonly versionSignature?: Buffer | undefined;
}

/** A version of the config of a writer. */
export interface SignedVersion {
  readonly writerId: string;
  readonly version: number;
}

/** What is signed of a version. It is no config, so that neither signature stands for the other. */
const versionStatement = ({ writerId, version }: SignedVersion): Buffer =>
  Buffer.from(`archiver-fleet-config-version\n${writerId}\n${version}\n`);

function signatureOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node passes over what is no base64.
  return bytes.byteLength === SIGNATURE_BYTES && bytes.toString('base64') === text ? bytes : undefined;
}

/**
 * Signs a config with ed25519 keys, its exact bytes, and apart from them its version: the file for beside it, and the names of the keys.
 * @throws usage for a key twice, and too many
 */
export function signConfig(
  bytes: Buffer,
  ...privateKeys: readonly KeyObject[]
): { bytes: Buffer; keyIds: readonly string[] } {
  const { config } = checkFleetConfig(bytes);
  const statement = config && versionStatement(config);
  const signatures = privateKeys.map((key) => ({
    keyId: keyIdOf(createPublicKey(key)),
    signature: sign(null, bytes, key).toString('base64'),
    ...(statement && { versionSignature: sign(null, statement, key).toString('base64') }),
  }));
  const keyIds = signatures.map(({ keyId }) => keyId);
  if (new Set(keyIds).size < keyIds.length) throw usageError('two of the keys are the same one');
  refuseMany(keyIds.length, 'keys to sign with');
  const [first] = signatures;
  const sidecar =
    signatures.length === 1
      ? { formatVersion: 1, algorithm: ALGORITHM, ...first }
      : { formatVersion: 2, algorithm: ALGORITHM, signatures };
  return { bytes: Buffer.from(`${JSON.stringify(sidecar)}\n`), keyIds };
}

function refuseMany(count: number, what: string): void {
  if (count > MAX_KEYS) throw usageError(`there are ${count} ${what}, and ${MAX_KEYS} are allowed`);
}

/** Reads the file beside a config. @throws integrity, with what is wrong with it */
export function readSidecar(bytes: Buffer): readonly Signature[] {
  if (bytes.byteLength > MAX_SIDECAR_BYTES) throw refused(`${WHAT} is larger than ${MAX_SIDECAR_BYTES} bytes`);
  const parsed = readObject(parseBoundedJson(bytes.toString('utf8'), 3, WHAT), WHAT, SIGN_AGAIN);
  const { formatVersion, algorithm } = parsed;
  if (formatVersion !== 1 && formatVersion !== 2)
    throw refused(`${WHAT} is of a format that this archiver does not read`);
  if (typeof algorithm === 'string' && algorithm !== ALGORITHM)
    throw refused(`${WHAT} was made with ${quoted(algorithm)} and not with ${ALGORITHM}`);
  if (formatVersion === 1) return [readValue(BY_ONE, parsed, WHAT, SIGN_AGAIN)];
  const { signatures } = readValue(BY_SEVERAL, parsed, WHAT, SIGN_AGAIN);
  if (signatures.length === 0) throw refused(`${WHAT} is by no key`);
  return signatures;
}

/** Who has signed a config. */
export interface Signer {
  /** The newest of the trusted keys that have signed it. */
  readonly keyId: string;
  /** Its place among the trusted keys, from 0 on: a later one is newer. */
  readonly rank: number;
}

/**
 * Checks that a config is what the owner of one of the trusted keys has signed; `trustedPem` names them, the newest last. Every signature by
 * a trusted key has to be good; those of other keys count as nothing. @throws integrity when it is not; usage when the text has no public keys
 */
export function verifyConfig(bytes: Uint8Array, sidecarBytes: Buffer, trustedPem: string): Signer {
  const trusted = readPublicKeys(trustedPem).map((key) => ({ key, keyId: keyIdOf(key) }));
  const signatures = readSidecar(sidecarBytes);
  let signer: Signer | undefined;
  for (const [rank, { key, keyId }] of trusted.entries()) {
    for (const { signature } of signatures.filter((one) => one.keyId === keyId)) {
      if (!verify(null, bytes, key, signature))
        throw refused(`the config is not what was signed with the key ${keyId}`);
      signer = { keyId, rank };
    }
  }
  if (signer !== undefined) return signer;
  const signedWith = signatures.map(({ keyId }) => quoted(keyId)).join(' and ');
  const [only = '', ...more] = trusted.map(({ keyId }) => keyId);
  const known =
    more.length === 0 ? `${only} is the one that is` : `${[only, ...more].join(' and ')} are those that are`;
  throw refused(`the config was signed with the key ${signedWith}, and ${known} trusted`);
}

/** True if the key has signed the version; false without a key. */
export const verifyVersion = (of: SignedVersion, signature: Uint8Array, key: KeyObject | undefined): boolean =>
  key !== undefined && verify(null, versionStatement(of), key, signature);

/**
 * Checks what trusted keys have signed of a version, which the bytes of the config are known to have. @throws integrity where it is not what
 * they have signed
 */
export function assertVersionSigned(of: SignedVersion, signatures: readonly Signature[], trustedPem: string): void {
  for (const key of readPublicKeys(trustedPem))
    for (const { keyId, versionSignature } of signatures)
      if (keyId === keyIdOf(key) && versionSignature !== undefined && !verifyVersion(of, versionSignature, key))
        throw refused(`version ${of.version} is not what was signed with the key ${keyId}`);
}

const refused = (message: string): Error => integrityError(message, SIGN_AGAIN);

const BLOCK = /-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----/g;

/**
 * Reads the trusted keys of an agent, one or several in one file, the newest last; `name`: of the file, printable.
 * @throws usage when the PEM is not that of ed25519 public keys, for one that is there twice, and for too many
 */
export function readPublicKeys(pem: string, name = 'the key file'): readonly KeyObject[] {
  const blocks = pem.match(BLOCK) ?? [];
  // What stands between keys would be trusted or not, depending on who reads it.
  const rest = pem.replace(BLOCK, '').trim();
  if (blocks.length < 2 || rest !== '') return [readPublicKey(pem, name)];
  refuseMany(blocks.length, `keys in ${name}`);
  const keys = blocks.map((block) => readPublicKey(block, name));
  if (new Set(keys.map(keyIdOf)).size < keys.length) throw usageError(`${name} holds a key twice`);
  return keys;
}

function readPublicKey(pem: string, name: string): KeyObject {
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
