import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { foundCredentials } from '../../../src/core/setup/found-credentials.js';
import { KeysFile, keysFile, keyTrouble } from '../../../src/core/setup/keys-file.js';
import { tempFolder } from '../../support/temp-folder.js';

const KEYS = { profile: 'lab', accessKeyId: 'KEYID', secretAccessKey: 'a/b+c=' };
const SECTION = '[lab]\naws_access_key_id = KEYID\naws_secret_access_key = a/b+c=\n';
let path = '';
let env: Readonly<Record<string, string>> = {};

beforeEach(async () => {
  const folder = await tempFolder();
  path = join(folder, 'aws', 'credentials');
  env = { AWS_SHARED_CREDENTIALS_FILE: path, AWS_CONFIG_FILE: join(folder, 'aws', 'config') };
});

const text = (): string => readFileSync(path, 'utf8');
const has = (content: string, mode = 0o600): void => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content, { mode });
};

test('a new file is for its owner alone, and its profile is found at once', async () => {
  await foundCredentials({ env }); // what the SDK has read by now

  await new KeysFile(path, env).save(KEYS);

  expect([text(), statSync(path).mode & 0o777]).toEqual([SECTION, 0o600]);
  expect(await foundCredentials({ env })).toContainEqual({
    kind: 'profile',
    name: 'lab',
    gives: 'keys in the AWS files',
  });
});

test.each([
  ['# mine\r\n[default]\naws_access_key_id=x\n', '\n'],
  ['[default]\naws_access_key_id=x', '\n\n'],
  ['[other] ; no line end\n\n', '\n'],
])('what is there stays byte for byte (%j), and becomes readable for its owner alone', async (before, gap) => {
  has(before, 0o644);

  await new KeysFile(path, env).save(KEYS);

  expect([text(), statSync(path).mode & 0o777]).toEqual([`${before}${gap}${SECTION}`, 0o600]);
});

test('keys that were mistyped are replaced in the same run, and only those', async () => {
  has('[default]\naws_access_key_id=x\n');
  const file = new KeysFile(path, env);

  await file.save({ ...KEYS, secretAccessKey: 'wrong' });
  await file.save(KEYS);

  expect(text()).toBe(`[default]\naws_access_key_id=x\n\n${SECTION}`);
});

test.each(['[lab]\naws_access_key_id = x\n', '  [ lab ]\nregion = x\n'])(
  'a profile that is there is not touched (%j)',
  async (before) => {
    has(before);

    await expect(new KeysFile(path, env).save(KEYS)).rejects.toThrow(/there is a profile lab already/);

    expect(text()).toBe(before);
  },
);

test('bytes that are no UTF-8 stay as they are, and keys are plain ASCII', async () => {
  has('');
  const before = Buffer.from('# Schl\u00fcssel\n[other]\naws_access_key_id = x\n', 'latin1');
  writeFileSync(path, before);

  await new KeysFile(path, env).save(KEYS);

  expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
  expect(keyTrouble({ ...KEYS, secretAccessKey: 'schl\u00fcssel' })).toContain('secret access key');
});

test('a profile of the config file counts, and a link stays one', async () => {
  has('');
  writeFileSync(join(path, '..', 'config'), '[profile lab]\nregion = x\n');
  await expect(new KeysFile(path, env).save(KEYS)).rejects.toThrow(/there is a profile lab already/);
  const link = join(path, '..', 'link');
  symlinkSync('credentials', link);

  await new KeysFile(link, env).save({ ...KEYS, profile: 'other' });

  expect(text()).toContain('[other]');
});

test.each([
  [{ ...KEYS, profile: 'a]\n[b' }, /a profile is called by/],
  [{ ...KEYS, accessKeyId: '' }, /access key id/],
  [{ ...KEYS, secretAccessKey: 'two words' }, /secret access key has no blanks/],
])('%j is refused without the secret', async (keys, message) => {
  const error = await new KeysFile(path, env).save(keys).catch(String);

  expect(error).toMatch(message);
  expect(error).not.toContain('two words');
});

test('sources: variables, profiles that have something, the machine, new keys', async () => {
  has('[default]\naws_access_key_id=x\n[empty]\nregion=y\n');
  writeFileSync(
    join(path, '..', 'config'),
    '[profile sso]\nsso_session = s\n[sso-session s]\nsso_start_url = https://x\n[profile r]\nrole_arn = arn:x\nsource_profile = default\n[services a]\n',
  );

  const names = async (more: Readonly<Record<string, string>>): Promise<string[]> =>
    (await foundCredentials({ env: { ...env, ...more } })).map((one) =>
      'name' in one ? `${one.name}: ${one.gives}` : one.kind,
    );

  expect(await names({ AWS_ACCESS_KEY_ID: 'x' })).toEqual([
    'environment',
    'default: keys in the AWS files',
    'sso: single sign-on (aws sso login)',
    'r: role arn:x',
    'new',
  ]);
  expect((await names({})).at(-2)).toBe('machine');
  expect(keysFile({}, '/home/anna')).toBe('/home/anna/.aws/credentials');
});
