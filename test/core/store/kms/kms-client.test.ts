import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import { kmsKeys, type KmsOptions } from '../../../../src/core/store/kms/kms-client.js';
import { kmsEndpoint } from '../../../../src/core/store/s3/s3-profile.js';
import { KEY_ARN } from '../../../support/fake-kms.js';
import { type KmsServer, startKmsServer } from '../../../support/kms-server.js';
import { FAST_RETRY, useTestCredentials } from '../../../support/open-s3.js';
import { startSilentServer } from '../../../support/silent-server.js';

let server: KmsServer;
let events: TransferEvent[] = [];

beforeAll(async () => {
  useTestCredentials();
  server = await startKmsServer();
});
beforeEach(() => {
  server.clear();
  events = [];
});
afterAll(() => server.close());

const context = { a: '1', b: '2' };
const open = (options: Partial<KmsOptions> = {}) =>
  kmsKeys({
    region: 'eu-west-1',
    endpoint: server.endpoint,
    env: {},
    network: undefined,
    timeouts: { connectMs: 5000, idleMs: 5000, answerMs: 5000 },
    retry: FAST_RETRY,
    onEvent: (event) => events.push(event),
    ...options,
  });

test('a key that was made is opened again for the same context only', async () => {
  const keys = open();
  const made = await keys.generate(KEY_ARN, context);

  expect(made.dataKey).toHaveLength(32);
  expect((await keys.decrypt(made, context)).equals(made.dataKey)).toBe(true);
  await expect(keys.decrypt(made, { a: '1' })).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringMatching(
      /^kms:Decrypt with arn:.*: its data key is damaged, or was wrapped for another place/,
    ),
  });
  keys.close();
});

test.each([
  ['ThrottlingException', 400, /limits the requests/],
  ['LimitExceededException', 400, /limits the requests/],
  ['TooManyRequestsException', 429, /limits the requests/],
  ['KMSInternalException', 500, /in a while/],
])('%s is no matter of the network', async (type, status, hint) => {
  const keys = open();
  const made = await keys.generate(KEY_ARN, context);
  server.fail({ operation: 'Decrypt', type, status, message: 'rate exceeded' });

  await expect(keys.decrypt(made, context)).rejects.toMatchObject({
    message: expect.stringContaining(type) as string,
    hint: expect.stringMatching(hint) as string,
  });
});

test.each(['Decrypt', 'GenerateDataKey'] as const)(
  '%s that is denied names the action and the key',
  async (operation) => {
    const keys = open();
    const made = await keys.generate(KEY_ARN, context);
    server.fail({ operation, type: 'AccessDeniedException', message: 'no' });

    const asked = operation === 'Decrypt' ? keys.decrypt(made, context) : keys.generate(KEY_ARN, context);
    await expect(asked).rejects.toMatchObject({
      code: 'access-denied',
      message: `kms:${operation} with ${KEY_ARN}: access denied`,
      hint: `the credentials need kms:${operation} on ${KEY_ARN}`,
    });
  },
);

describe('what KMS says', () => {
  test.each([
    ['NotFoundException', 400, 'not-found', /there is no such key in us-east-1/],
    ['DisabledException', 400, 'store', /the key cannot be used now: because/],
    ['KMSInvalidStateException', 400, 'store', /the key cannot be used now: because/],
    ['ValidationException', 400, 'store', /KMS refuses it: because/],
    ['UnrecognizedClientException', 400, 'credentials', /does not accept these credentials/],
    ['ExpiredTokenException', 400, 'credentials', /credentials have expired/],
    ['SomethingNew', 400, 'store', /KMS answered 400 SomethingNew: because/],
  ])('%s (%i) becomes %s, and is not asked again', async (type, status, code, message) => {
    server.fail({ operation: 'GenerateDataKey', type, status, message: 'because' });

    await expect(open().generate(KEY_ARN, context)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(server.asked).toHaveLength(1);
  });

  test('a key that is gone does not read like a manifest that is missing', async () => {
    const keys = open();
    const made = await keys.generate(KEY_ARN, context);
    server.fail({ operation: 'Decrypt', type: 'NotFoundException' });

    await expect(keys.decrypt(made, context)).rejects.toMatchObject({ code: 'store' });
  });

  test.each([
    ['ThrottlingException', 400],
    ['KMSInternalException', 500],
    ['KeyUnavailableException', 500],
    [undefined, 0],
  ])('%s (%i) passes', async (type, status) => {
    server.fail({ operation: 'GenerateDataKey', ...(type === undefined ? {} : { type, status }), times: 2 });

    expect((await open().generate(KEY_ARN, context)).kmsKeyId).toBe(KEY_ARN);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'retry', 'settled']);
  });
});

test('a data key that is none is refused', async () => {
  const short = await startKmsServer();
  short.fail({ operation: 'GenerateDataKey', answer: { KeyId: KEY_ARN, Plaintext: 'AAAA', CiphertextBlob: 'AAAA' } });

  await expect(open({ endpoint: short.endpoint }).generate(KEY_ARN, context)).rejects.toThrow(/no usable data key/);
  await short.close();
});

test('the address: that of KMS, then that of the store, then the general one, then AWS', async () => {
  const env = { AWS_ENDPOINT_URL_KMS: 'http://kms', AWS_ENDPOINT_URL: 'http://all', AWS_ENDPOINT_URL_S3: 'http://s3' };

  const without = { ...env, AWS_ENDPOINT_URL_KMS: '' };
  const ignored = { ...env, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' };
  const asked = [
    kmsEndpoint({ env, endpointUrl: 'http://store' }),
    kmsEndpoint({ env: without, endpointUrl: 'http://store' }),
    kmsEndpoint({ env: { AWS_ENDPOINT_URL: 'http://all' } }),
    kmsEndpoint({ env: ignored }),
  ];

  expect(await Promise.all(asked)).toEqual(['http://kms', 'http://store', 'http://all', undefined]);
});

test('nobody there is said with the address', async () => {
  const gone = await startKmsServer();
  await gone.close();
  const keys = open({ endpoint: gone.endpoint, retry: { ...FAST_RETRY, maxAttempts: 2 } });

  await expect(keys.generate(KEY_ARN, context)).rejects.toMatchObject({
    code: 'store',
    message: expect.stringContaining(`KMS at ${gone.endpoint.slice('http://'.length)} could not be reached`),
  });
});

test('a key that is named by its ARN is asked for in its own region, another in that of the store', async () => {
  const keys = open();
  await keys.generate(KEY_ARN, context);
  await keys.generate('alias/backup', context);

  expect(server.regions).toEqual(['us-east-1', 'eu-west-1']);
});

test('a KMS that takes requests and never answers is asked twice, and then named', async () => {
  const silent = await startSilentServer();
  onTestFinished(() => silent.close());
  const keys = open({ endpoint: silent.endpoint, timeouts: { connectMs: 100, idleMs: 100, answerMs: 100 } });

  await expect(keys.generate(KEY_ARN, context)).rejects.toMatchObject({
    code: 'stalled',
    message: expect.stringMatching(
      /KMS at 127.0.0.1:\d+ could not be reached: .* did not answer .* \(tried 2 times\)$/,
    ),
  });
  expect(silent.connections()).toBe(2);
});
