import { describe, expect, test } from 'vitest';
import { initialSetup, type SetupValues } from '../../../src/commands/setup/begin.js';

const NOTHING: SetupValues = {
  nonInteractive: false,
  output: undefined,
  provider: undefined,
  region: undefined,
  profile: undefined,
  endpointUrl: undefined,
  caBundle: undefined,
  storageClass: undefined,
};

const begun = (
  values: Partial<SetupValues>,
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
) => {
  const config = { path: '/c', bytes: undefined, text: '', settings: new Map(Object.entries(settings)) };
  const none = { AWS_CONFIG_FILE: '/none', AWS_SHARED_CREDENTIALS_FILE: '/none' };
  const around = { cwd: '/here', userHome: '/home/anna', env: { ...none, ...env } };
  return initialSetup({ ...NOTHING, ...values }, 's3://acme', config, around);
};

describe('the questions begin', () => {
  test.each<[string, Parameters<typeof begun>, object]>([
    ['at AWS for a bucket', [{}], { place: 'aws', endpointUrl: undefined }],
    [
      'at the service whose address the file has',
      [{}, { 'aws.endpointUrl': 'https://s3.us-west-004.backblazeb2.com' }],
      { place: 'b2', region: 'us-west-004' },
    ],
    [
      'at the service that the shell works with',
      [{}, {}, { AWS_ENDPOINT_URL: 'https://0123.r2.cloudflarestorage.com' }],
      { place: 'r2', account: '0123' },
    ],
    [
      'at the program that the file names',
      [{}, { 'aws.endpointUrl': 'http://nas:3900', 'costControl.provider': 'garage' }],
      { place: 'garage', endpointUrl: 'http://nas:3900' },
    ],
    [
      'at another server for an address that is not the usual one',
      [{ endpointUrl: 'https://s3.gra.perf.cloud.ovh.net' }],
      { place: 'custom', endpointUrl: 'https://s3.gra.perf.cloud.ovh.net' },
    ],
    [
      'at another server for a gateway to AWS, which the file calls so',
      [{}, { 'aws.endpointUrl': 'https://gateway.example.org', 'costControl.provider': 'aws' }],
      { place: 'custom', endpointUrl: 'https://gateway.example.org' },
    ],
    ['at the one that is named', [{ provider: 'wasabi' }], { place: 'wasabi', region: 'us-east-1' }],
    [
      'with the parts of an address that is given',
      [{ provider: 'oracle', endpointUrl: 'https://axabc.compat.objectstorage.us-phoenix-1.oraclecloud.com' }],
      { place: 'oracle', account: 'axabc', region: 'us-phoenix-1' },
    ],
  ])('%s', async (_, asked, expected) => {
    expect(await begun(...asked)).toMatchObject(expected);
  });

  test.each<[string, Partial<SetupValues>]>([
    ['AWS behind a gateway', { provider: 'aws', endpointUrl: 'https://gateway.example.org' }],
    ['a service behind a name of its own', { provider: 'b2', endpointUrl: 'https://archive.example.org' }],
  ])('and %s is refused there, since it would be forgotten', async (_, values) => {
    await expect(begun(values)).rejects.toThrow('is set up without questions');
  });
});

test('without questions what only the shell says is not written', async () => {
  const env = { AWS_ENDPOINT_URL: 'https://s3.us-west-004.backblazeb2.com' };

  expect(await begun({ nonInteractive: true }, {}, env)).toMatchObject({ place: 'aws', endpointUrl: undefined });
});

test('AWS behind a gateway keeps its name in the file, by which it is billed', async () => {
  const given = { provider: 'aws', endpointUrl: 'https://gateway.example.org', nonInteractive: true } as const;

  expect(await begun(given)).toMatchObject({ provider: 'aws', endpointUrl: 'https://gateway.example.org' });
});
