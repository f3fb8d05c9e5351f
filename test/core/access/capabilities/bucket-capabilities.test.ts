// What a bucket can do, of servers that differ in one thing each: every row has been seen in both of its states.
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, answerOf } from '../../../../src/core/access/answer.js';
import { bucketCapabilities } from '../../../../src/core/access/capabilities/ask-capabilities.js';
import type { Capability, CapabilityName } from '../../../../src/core/access/capabilities/capability.js';
import type { CreateOnceAnswer } from '../../../../src/core/store/create-once/answer.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';
import { type Answer as Reply, type Call, errorAnswer } from '../../../support/memory-s3.js';

const s3 = useBrokenS3();
const FOLDER = 'uploads/20261124-000000-00000000/';

afterEach(() => {
  delete s3.server.rules.answer;
});

const about = (kind: CreateOnceAnswer['kind']): Answer<CreateOnceAnswer> => ({
  value: { kind, seen: 'it overwrote an object', askedAt: new Date(), askedBy: 'here' },
});

interface Options {
  readonly signal?: AbortSignal;
  readonly createOnce?: Answer<CreateOnceAnswer>;
  readonly now?: () => Date;
}

let count = 0;
const randomBytes = (bytes: number): Buffer => Buffer.from(String(++count).padStart(bytes, '0').slice(-bytes));

async function rows({
  createOnce = about('create-once'),
  now = () => new Date(),
  signal = new AbortController().signal,
}: Options = {}): Promise<readonly Capability[]> {
  const { store, deleter, posture, lifecycle, multipart } = await s3.open();
  if (posture === undefined || lifecycle === undefined || multipart === undefined) throw new Error('no bucket');
  const asked = { store, deleter, posture, lifecycle, multipart, createOnce, now, signal };
  return await bucketCapabilities({ ...asked, folder: FOLDER, randomBytes });
}

async function row(name: CapabilityName, options?: Options): Promise<Capability | undefined> {
  return (await rows(options)).find((one) => one.name === name);
}

const answers = (rule: (operation: string, call: Call) => Reply | undefined): void => {
  s3.server.rules.answer = rule;
};
/** The server does not have this operation, or refuses it. */
const lacks = (name: string, reply = errorAnswer(501, 'NotImplemented')): void =>
  answers((operation) => (operation === name ? reply : undefined));
const denies = (name: string): void => lacks(name, errorAnswer(403, 'AccessDenied'));

const left = (): readonly string[] => [...(s3.server.buckets.get('bucket')?.keys() ?? [])];

async function unfinished(): Promise<readonly string[]> {
  const { store } = await s3.open();
  const found: string[] = [];
  for await (const { key } of store.listMultipart('')) found.push(key);
  return found;
}

describe('what a bucket can do', () => {
  test('has a row for everything, each with what follows and where the docs say more', async () => {
    const found = await rows();

    expect(Object.fromEntries(found.map(({ name, state }) => [name, state]))).toEqual({
      'create-once': 'yes',
      versions: 'no',
      'object-lock': 'no',
      lifecycle: 'yes',
      'storage-classes': 'yes',
      encryption: 'no',
      'unfinished-uploads': 'yes',
      'multipart-copy': 'yes',
      'largest-part': 'unknown',
      clock: 'yes',
    });
    expect(found.filter(({ consequence }) => !/ See docs\/[a-z]+\.md, [^.]+\.$/.test(consequence))).toEqual([]);
  });

  test('leaves nothing there', async () => {
    await rows();

    expect([left(), await unfinished()]).toEqual([[], []]);
  });

  test('leaves nothing there when it is interrupted', async () => {
    const ending = new AbortController();
    answers((operation) => void (operation === 'UploadPartCopy' && ending.abort()));

    await expect(rows({ signal: ending.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect([left(), await unfinished()]).toEqual([[], []]);
  });

  test('puts with If-None-Match where the store keeps it, and nowhere else', async () => {
    const conditions = (): readonly unknown[] =>
      s3.server.requests
        .filter(({ operation }) => operation === 'PutObject')
        .map(({ headers }) => headers['if-none-match']);
    s3.server.requests.length = 0;
    await rows();
    const kept = new Set(conditions());
    s3.server.requests.length = 0;
    await rows({ createOnce: about('plain') });

    expect([kept, new Set(conditions())]).toEqual([new Set(['*']), new Set([undefined])]);
  });
});

describe('create-once', () => {
  test('a plain store: what was seen, and how versions are written there', async () => {
    expect(await row('create-once', { createOnce: about('plain') })).toMatchObject({
      state: 'no',
      detail: 'asked whether it keeps If-None-Match, it overwrote an object',
      consequence: expect.stringContaining('record keys of their own') as string,
    });
  });
});

describe('versions', () => {
  test('that are kept', async () => {
    s3.server.keepVersions('bucket');

    expect(await row('versions')).toMatchObject({ state: 'yes', detail: 'versioning is on' });
  });

  test('a store that does not know the question keeps none; who may not ask learns nothing', async () => {
    lacks('GetBucketVersioning');
    const lacking = await row('versions');
    denies('GetBucketVersioning');

    expect(lacking).toMatchObject({ state: 'no', detail: 'the store does not have it' });
    expect(await row('versions')).toMatchObject({
      state: 'unknown',
      detail: 'not asked: the credentials need s3:GetBucketVersioning',
    });
  });
});

describe('object-lock', () => {
  test('of a bucket that has it, and of a server that does not know the question', async () => {
    s3.server.lockable.add('bucket');
    const locked = await row('object-lock');
    lacks('GetObjectLockConfiguration');

    expect(locked).toMatchObject({ state: 'yes', detail: 'on, without a default retention' });
    expect(await row('object-lock')).toMatchObject({ state: 'no', detail: 'the store does not have it' });
  });
});

describe('lifecycle', () => {
  test('that the server does not have', async () => {
    lacks('GetBucketLifecycleConfiguration');

    expect(await row('lifecycle')).toMatchObject({ state: 'no' });
  });

  test('an answer without rules says nothing: some servers answer so to whatever they do not know', async () => {
    lacks('GetBucketLifecycleConfiguration', { status: 200, body: '<ListBucketResult/>' });

    expect(await row('lifecycle')).toMatchObject({ state: 'unknown' });
  });
});

describe('storage-classes', () => {
  test('that are cold are asked for with a read: those that give it are names', async () => {
    const frozen = await row('storage-classes');
    s3.server.cold.isFrozen = false;
    const named = await row('storage-classes');
    s3.server.cold.isFrozen = true;

    expect(frozen?.detail).toBe('STANDARD_IA, ONEZONE_IA, INTELLIGENT_TIERING, GLACIER_IR, GLACIER, DEEP_ARCHIVE');
    expect(named?.detail).toContain('as names alone, since they are read at once: GLACIER, DEEP_ARCHIVE');
  });

  test('that are refused, as MinIO does', async () => {
    answers((operation, { headers }) =>
      operation === 'PutObject' && headers['x-amz-storage-class'] !== undefined
        ? errorAnswer(400, 'InvalidStorageClass')
        : undefined,
    );

    expect(await row('storage-classes')).toMatchObject({
      state: 'no',
      detail: expect.stringContaining('STANDARD alone; refused: STANDARD_IA') as string,
    });
  });

  test('that are taken and stored as something else, as Garage does', async () => {
    answers((operation, { headers }) => {
      if (operation === 'PutObject') delete headers['x-amz-storage-class'];
      return undefined;
    });

    expect(await row('storage-classes')).toMatchObject({
      state: 'no',
      detail: expect.stringContaining('STANDARD alone; taken and not kept: STANDARD_IA') as string,
    });
  });

  test('some that are refused are named beside those that are kept', async () => {
    answers((operation, { headers }) =>
      operation === 'PutObject' && headers['x-amz-storage-class'] === 'GLACIER_IR'
        ? errorAnswer(400, 'InvalidStorageClass')
        : undefined,
    );

    expect(await row('storage-classes')).toMatchObject({
      state: 'yes',
      detail: 'STANDARD_IA, ONEZONE_IA, INTELLIGENT_TIERING, GLACIER, DEEP_ARCHIVE; refused: GLACIER_IR',
    });
  });
});

describe('encryption', () => {
  test('that an object shows', async () => {
    answers((operation, { headers }) => {
      if (operation === 'PutObject') headers['x-amz-server-side-encryption'] = 'AES256';
      return undefined;
    });

    expect(await row('encryption')).toMatchObject({ state: 'yes', detail: 'of each object: AES256' });
  });

  test('of who may not read: what the bucket says, and else nothing', async () => {
    const head = { status: 403 };
    const rule =
      '<ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault>';
    const told = `<ServerSideEncryptionConfiguration><Rule>${rule}</Rule></ServerSideEncryptionConfiguration>`;
    lacks('HeadObject', head);
    const silent = await row('encryption');
    answers((operation) => {
      if (operation === 'HeadObject') return head;
      return operation === 'GetBucketEncryption' ? { status: 200, body: told } : undefined;
    });

    expect(silent).toMatchObject({ state: 'unknown', detail: 'not asked: the credentials need s3:GetObject' });
    expect(await row('encryption')).toMatchObject({ state: 'yes', detail: 'by default: AES256' });
  });
});

describe('unfinished-uploads', () => {
  test.each([
    [404, 'NoSuchUpload'],
    [501, 'NotImplemented'],
  ])('a listing that answers %i %s', async (status, code) => {
    lacks('ListMultipartUploads', errorAnswer(status, code));

    expect(await row('unfinished-uploads')).toMatchObject({ state: 'no', detail: 'the store does not list them' });
  });

  test('a listing that does not show the one that was begun', async () => {
    lacks('ListMultipartUploads', { status: 200, body: '<ListMultipartUploadsResult/>' });

    expect(await row('unfinished-uploads')).toMatchObject({ state: 'no', detail: 'one that was begun is not listed' });
  });
});

test('unfinished-uploads: a listing that answers 404 until one is begun, as that of rclone does', async () => {
  let isBegun = false;
  answers((operation) => {
    if (operation === 'CreateMultipartUpload') isBegun = true;
    return operation === 'ListMultipartUploads' && !isBegun ? errorAnswer(404, 'NoSuchUpload') : undefined;
  });

  expect(await row('unfinished-uploads')).toMatchObject({
    state: 'yes',
    detail: 'one that was begun is listed; where there is none, it says that it lists none',
  });
});

describe('multipart-copy', () => {
  test('of a server that does not have it', async () => {
    lacks('UploadPartCopy');

    expect(await row('multipart-copy')).toMatchObject({ state: 'no', detail: 'the store does not have it' });
  });

  test('of a server that says yes without a word and copies nothing, as rclone does', async () => {
    lacks('UploadPartCopy', { status: 200 });

    expect(await row('multipart-copy')).toMatchObject({ state: 'no' });
  });

  test('of a server that copies parts of 5 MiB and more, as Garage does', async () => {
    answers((operation, { headers }) => {
      if (operation !== 'UploadPartCopy') return undefined;
      const key = decodeURIComponent(String(headers['x-amz-copy-source'])).replace(/^bucket\//, '');
      const bytes = s3.server.buckets.get('bucket')?.get(key)?.body.length ?? 0;
      return bytes < 5 * 2 ** 20 ? errorAnswer(400, 'InvalidRequest', 'Source object is too small') : undefined;
    });

    expect(await row('multipart-copy')).toMatchObject({ state: 'yes' });
    expect(left()).toEqual([]);
  });
});

describe('clock', () => {
  test.each([
    [10, "that of the store is 10 minutes behind this computer's"],
    [-5, "that of the store is 5 minutes ahead of this computer's"],
  ])('that is %i minutes ahead here', async (minutes, detail) => {
    const now = (): Date => new Date(Date.now() + minutes * 60_000);

    expect(await row('clock', { now })).toMatchObject({ state: 'no', detail });
  });

  test('is not known to who may not list', async () => {
    denies('ListObjectsV2');

    expect(await row('clock')).toMatchObject({ state: 'unknown' });
  });
});

describe('credentials that may not put', () => {
  test('nothing is put, what is asked of objects is not known, and says which action is missing', async () => {
    const createOnce = await answerOf<CreateOnceAnswer>('s3:PutObject', async () => {
      denies('PutObject');
      const { store } = await s3.open();
      await store.put('key', Buffer.from('body'));
      throw new Error('it was put');
    });
    s3.server.requests.length = 0;
    const found = await rows({ createOnce });

    const needing = found.filter(({ detail }) => detail === 'not asked: the credentials need s3:PutObject');
    expect(needing.map(({ name }) => name)).toEqual(['create-once', 'storage-classes', 'encryption', 'multipart-copy']);
    expect(found.find(({ name }) => name === 'unfinished-uploads')).toMatchObject({
      state: 'yes',
      detail: 'a listing of them is answered',
    });
    expect(s3.server.requests.filter(({ operation }) => operation.startsWith('Put'))).toEqual([]);
  });
});
