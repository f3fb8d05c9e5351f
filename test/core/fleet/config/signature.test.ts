import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFleetConfig } from '../../../../src/core/fleet/config/check-fleet-config.js';
import { acceptedOf, assertNotOlder } from '../../../../src/core/fleet/config/not-older.js';
import {
  assertVersionSigned,
  readSidecar,
  signConfig,
  verifyConfig,
} from '../../../../src/core/fleet/config/signature.js';
import { readPrivateKey } from '../../../../src/core/fleet/config/signing-keys.js';
import { Rng } from '../../../soak/prng.js';
import { yamlOf } from '../../../support/fleet-config.js';
import { tempFolder } from '../../../support/temp-folder.js';

const spki = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const newPublic = (): string => spki(generateKeyPairSync('ed25519').publicKey);
const PAIR = generateKeyPairSync('ed25519');
const PUBLIC = spki(PAIR.publicKey);
const OTHER = generateKeyPairSync('ed25519');
const CONFIG = Buffer.from(yamlOf());
const OF = checkFleetConfig(CONFIG).config ?? { writerId: '', version: 0 };
const SIDECAR = signConfig(CONFIG, PAIR.privateKey).bytes;
const sidecar = (changes: object): Buffer =>
  Buffer.from(JSON.stringify({ ...JSON.parse(String(SIDECAR)), ...changes }));

test('what is signed is accepted, and says with which key', () => {
  expect(() => verifyConfig(CONFIG, SIDECAR, PUBLIC)).not.toThrow();
  expect(JSON.parse(String(SIDECAR))).toEqual({
    formatVersion: 1,
    algorithm: 'ed25519',
    keyId: expect.stringMatching(/^sha256:[0-9a-f]{16}$/),
    signature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
    versionSignature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
  });
});

// RFC 8032, 7.1, test 2: the form of keys and signatures is not only our own.
test('signs as the RFC says', () => {
  const seed = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex');
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });

  const { bytes, keyIds } = signConfig(Buffer.from('72', 'hex'), key);

  expect(readSidecar(bytes)[0]?.signature.toString('hex')).toBe(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  );
  // SHA-256 of 3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c.
  expect(keyIds).toEqual(['sha256:39f713d0a644253f']);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stderr.write('left out: a signature checked by openssl (needs openssl)\n');

test.runIf(hasOpenssl)('openssl verifies it', async () => {
  const folder = await tempFolder();
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('config.yaml'), CONFIG);
  writeFileSync(path('public.pem'), PUBLIC);
  writeFileSync(path('signature'), readSidecar(SIDECAR)[0]?.signature ?? '');

  const words = ['-verify', '-pubin', '-inkey', path('public.pem'), '-rawin', '-in', path('config.yaml')];
  const said = execFileSync('openssl', ['pkeyutl', ...words, '-sigfile', path('signature')], { encoding: 'utf8' });

  expect(said).toContain('Signature Verified Successfully');
});

describe('refuses', () => {
  test.each<[string, Buffer, RegExp]>([
    ['an empty signature', Buffer.alloc(0), /the signature is not valid JSON/],
    ['a large one', Buffer.alloc(5000, ' '), /the signature is larger than 4096 bytes/],
    ['no object', Buffer.from('[]'), /the signature is not an object/],
    ['a key twice', Buffer.from('{"algorithm":"a","algorithm":"ed25519"}'), /the signature has the key/],
    ['an unknown key', sidecar({ key: 1 }), /'key' of the signature is not a key that this archiver knows/],
    ['another format', sidecar({ formatVersion: 3 }), /of a format that this archiver does not read/],
    [
      'another algorithm, before anything else',
      sidecar({ algorithm: 'rsa', signature: '!', keyId: '' }),
      /made with 'rsa' and not with ed25519/,
    ],
    [
      'no base64, before the key',
      sidecar({ signature: 'x'.repeat(88), keyId: 'sha256:0' }),
      /is not 64 bytes in base64/,
    ],
    ['base64 with bits to spare', sidecar({ signature: looseBase64() }), /is not 64 bytes in base64/],
    ['a short one', sidecar({ signature: 'AAAA' }), /is not 64 bytes in base64/],
    ['one that is no text', sidecar({ signature: 7 }), /'signature' of the signature is not a text/],
    [
      'another key',
      signConfig(CONFIG, OTHER.privateKey).bytes,
      /was signed with the key 'sha256:\w+', and sha256:\w+ is the one that is trusted/,
    ],
    [
      'another key under our name',
      sidecar({ signature: JSON.parse(String(signConfig(CONFIG, OTHER.privateKey).bytes)).signature }),
      /the config is not what was signed with the key sha256:/,
    ],
  ])('%s', (_, bytes, sentence) => {
    expect(() => verifyConfig(CONFIG, bytes, PUBLIC)).toThrow(sentence);
  });

  test('one byte more, less, or other line ends', () => {
    const tampered = [
      Buffer.concat([CONFIG, Buffer.from(' ')]),
      CONFIG.subarray(1),
      Buffer.from(String(CONFIG).replaceAll('\n', '\r\n')),
    ];

    for (const bytes of tampered) expect(() => verifyConfig(bytes, SIDECAR, PUBLIC)).toThrow(/is not what was signed/);
  });

  test('a signature whose S is not reduced, which would be a second one for the same bytes', () => {
    const { signature = Buffer.alloc(0) } = readSidecar(SIDECAR)[0] ?? {};
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${reversed(signature.subarray(32)).toString('hex')}`) + order;
    const second = Buffer.concat([
      signature.subarray(0, 32),
      reversed(Buffer.from(s.toString(16).padStart(64, '0'), 'hex')),
    ]);

    expect(() => verifyConfig(CONFIG, sidecar({ signature: second.toString('base64') }), PUBLIC)).toThrow(
      /is not what was signed/,
    );
  });
});

describe('several keys', () => {
  const both = signConfig(CONFIG, PAIR.privateKey, OTHER.privateKey).bytes;
  const trusted = PUBLIC + spki(OTHER.publicKey);
  const byOther = signConfig(CONFIG, OTHER.privateKey);

  test('one of those that are trusted is enough, and the newest that has signed counts', () => {
    expect(verifyConfig(CONFIG, SIDECAR, trusted)).toMatchObject({ rank: 0 });
    expect(verifyConfig(CONFIG, byOther.bytes, trusted)).toEqual({ rank: 1, keyId: byOther.keyIds[0] });
    expect(verifyConfig(CONFIG, both, trusted)).toEqual({ rank: 1, keyId: byOther.keyIds[0] });
    for (const one of [PUBLIC, spki(OTHER.publicKey)])
      expect(verifyConfig(CONFIG, both, one)).toMatchObject({ rank: 0 });
    expect(() => verifyConfig(CONFIG, both, newPublic())).toThrow(
      /signed with the key 'sha256:\w+' and 'sha256:\w+', and/,
    );
  });

  test('a signature by a trusted key that is not good spoils the others', () => {
    const changed = Buffer.from(
      both.toString().replace(/"signature":"(.)/, (_, first) => `"signature":"${first === 'A' ? 'B' : 'A'}`),
    );

    expect(() => verifyConfig(CONFIG, changed, trusted)).toThrow(/is not what was signed/);
    expect(() => verifyConfig(Buffer.from(yamlOf({ version: 2 })), both, trusted)).toThrow(/is not what was signed/);
  });

  test.each<[string, object, RegExp]>([
    ['none', { signatures: [] }, /the signature is by no key/],
    ['no list', { signatures: {} }, /'signatures' of the signature is not a list/],
    ['keys of both forms', { keyId: 'x' }, /'keyId' of the signature is not a key that this archiver knows/],
  ])('refuses %s', (_, changes, sentence) => {
    const bytes = Buffer.from(JSON.stringify({ ...JSON.parse(String(both)), ...changes }));

    expect(() => verifyConfig(CONFIG, bytes, trusted)).toThrow(sentence);
  });

  test('nothing is signed twice by one key', () => {
    expect(() => signConfig(CONFIG, PAIR.privateKey, PAIR.privateKey)).toThrow(/two of the keys are the same/);
  });
});

describe('keys that are none', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

  test.each<[string, string, RegExp]>([
    ['empty', ' \n', /the key file is empty, and a public key is needed/],
    ['text', 'hello', /is not a public key in PEM \(PUBLIC KEY\)/],
    ['private', pkcs8(PAIR.privateKey), /the key file holds a private key, which stays with who signs/],
    ['damaged', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', /it is damaged/],
    ['a key twice', PUBLIC + PUBLIC, /the key file holds a key twice/],
    ['a private one among others', PUBLIC + pkcs8(OTHER.privateKey), /holds a private key/],
    ['text between two', `${PUBLIC}and\n${spki(OTHER.publicKey)}`, /is not a public key in PEM/],
    ['too many', [...Array(9)].map(newPublic).join(''), /there are 9 keys in the key file, and 8 are allowed/],
    ['RSA', spki(rsa.publicKey), /a key of the kind rsa, and configs are signed with ed25519/],
    ['for encryption', spki(generateKeyPairSync('x25519').publicKey), /a key of the kind x25519/],
  ])('public: %s', (_, pem, sentence) => {
    expect(() => verifyConfig(CONFIG, SIDECAR, pem)).toThrow(sentence);
  });

  test.each<[string, string, RegExp]>([
    ['empty', '', /the key file is empty, and a private key/],
    ['public', PUBLIC, /is not a private key without a passphrase in PEM \(PRIVATE KEY\)/],
    ['RSA', pkcs8(rsa.privateKey), /a key of the kind rsa/],
    [
      'with a passphrase',
      PAIR.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      /is not a private key without a passphrase in PEM/,
    ],
  ])('private: %s', (_, pem, sentence) => {
    expect(() => readPrivateKey(pem)).toThrow(sentence);
  });

  test('a public key with a line end of Windows is one', () => {
    expect(() => verifyConfig(CONFIG, SIDECAR, PUBLIC.replaceAll('\n', '\r\n'))).not.toThrow();
    expect(createPublicKey(readPrivateKey(pkcs8(PAIR.privateKey))).equals(PAIR.publicKey)).toBe(true);
  });
});

describe('age', () => {
  const version = (number: number, text = ''): ReturnType<typeof acceptedOf> =>
    acceptedOf({ version: number }, Buffer.from(`${number}${text}`));

  test('a newer config may follow, the same again, and any as the first', () => {
    expect(() => assertNotOlder(version(3), undefined)).not.toThrow();
    expect(() => assertNotOlder(version(3), version(3))).not.toThrow();
    expect(() => assertNotOlder(version(4), version(3))).not.toThrow();
  });

  test('an older one is refused, and another one of the same version', () => {
    expect(() => assertNotOlder(version(2), version(3))).toThrow(/has version 2, and 3 was in use already/);
    expect(() => assertNotOlder(version(3, 'x'), version(3))).toThrow(/both have version 3/);
  });
});

// Each of 10,000 has a few bytes changed, put in or taken out. None may end in anything but a sentence.
test('mutated configs and signatures are never accepted, and never break the parser', () => {
  const rng = new Rng('configs and signatures');
  const random = (below: number): number => rng.int(0, below - 1);
  const wrong: string[] = [];
  for (let round = 0; round < 10_000; round++) {
    const isConfig = round % 2 === 0;
    const original = isConfig ? CONFIG : SIDECAR;
    const changed = mutated(original, random);
    if (changed.equals(original)) continue;
    const outcome = outcomeOf(() => {
      verifyConfig(isConfig ? changed : CONFIG, isConfig ? SIDECAR : changed, PUBLIC);
      if (!isConfig) assertVersionSigned(OF, readSidecar(changed), PUBLIC);
    });
    if (outcome !== 'integrity' && !(outcome === 'accepted' && !isConfig && saysTheSame(changed)))
      wrong.push(`${outcome}: ${String(changed)}`);
    if (!isConfig) continue;
    const { config, errors } = checkFleetConfig(changed);
    if ((config === undefined) !== errors.length > 0) wrong.push(`${errors.length} errors: ${String(changed)}`);
  }

  expect(wrong).toEqual([]);
});

/** Only its spaces differ from ours. */
const saysTheSame = (bytes: Buffer): boolean =>
  JSON.stringify(JSON.parse(String(bytes))) === JSON.stringify(JSON.parse(String(SIDECAR)));

function outcomeOf(work: () => void): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

function mutated(bytes: Buffer, random: (below: number) => number): Buffer {
  let changed = Buffer.from(bytes);
  for (let times = 1 + random(3); times > 0; times--) {
    const at = random(changed.length);
    const kind = random(4);
    if (kind === 0) changed[at] = (changed[at] ?? 0) ^ (1 << random(8));
    else if (kind === 1) changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1 + random(8))]);
    else if (kind === 2)
      changed = Buffer.concat([changed.subarray(0, at), Buffer.from([random(256)]), changed.subarray(at)]);
    else
      changed = Buffer.concat([
        changed.subarray(0, at),
        changed.subarray(random(at + 1), at + random(9)),
        changed.subarray(at),
      ]);
    if (changed.length === 0) return changed;
  }
  return changed;
}

/** Numbers in signatures begin with their lowest byte. */
const reversed = (bytes: Buffer): Buffer => Buffer.from([...bytes].toReversed());

/** The same 64 bytes in base64 that is not the shortest form: bits of the last character are passed over. */
function looseBase64(): string {
  const { signature } = JSON.parse(String(SIDECAR)) as { readonly signature: string };
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = digits.indexOf(signature.charAt(85));
  return `${signature.slice(0, 85)}${digits[last + 1]}==`;
}
