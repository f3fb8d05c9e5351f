// A server that is not AWS and wants signatures for a region of its own, as Garage does.
import { beforeEach, describe, expect, it } from 'vitest';
import { failure, useBrokenS3 } from '../../../support/broken-s3.js';
import { type Answer, type Call, errorAnswer } from '../../../support/memory-s3.js';

const s3 = useBrokenS3();
let said: (asked: string) => Answer;

const scopeOf = ({ headers }: Call): string =>
  /\/([^/]+)\/s3\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '';
const malformed = (message: string, region = ''): Answer => {
  const answer = errorAnswer(400, 'AuthorizationHeaderMalformed', message);
  const element = region === '' ? '' : `<Region>${region}</Region>`;
  return { ...answer, body: String(answer.body).replace('</Error>', `${element}</Error>`) };
};
const regions = (): readonly string[] =>
  s3.server.requests.map(({ headers }) => /\/([^/]+)\/s3\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '');

beforeEach(() => {
  s3.server.requests.length = 0;
  s3.server.rules.answer = (operation, call) => {
    const asked = scopeOf(call);
    if (asked === 'garage') return undefined;
    return operation.startsWith('Head') ? { status: 400 } : said(asked);
  };
  said = () => malformed('not this one', 'garage');
});

describe('a region that the server does not take', () => {
  it.each<[string, Answer]>([
    ['an element', malformed('Authorization header malformed', 'garage')],
    [
      'the scope it expects',
      malformed("unexpected scope: '20261123/us-east-1/s3/aws4_request', expected: '20261123/garage/s3/aws4_request'"),
    ],
    ['a word', malformed("the region 'us-east-1' is wrong; expecting 'garage'")],
  ])('is replaced by the one that it names (%s), and stays so', async (_name, answer) => {
    said = () => answer;
    const { store } = await s3.open();

    await store.put('k', Buffer.from('one'));
    await store.put('l', Buffer.from('two'));

    expect(regions()).toEqual(['us-east-1', 'garage', 'garage']);
    expect(s3.server.buckets.get('bucket')?.get('p/k')?.body.toString()).toBe('one');
  });

  it('is replaced for requests that were under way together', async () => {
    const { store } = await s3.open({ retry: { maxAttempts: 1 } });

    await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.put(key, Buffer.from(key))));

    expect(s3.server.buckets.get('bucket')?.size).toBe(4);
  });

  it('is found out behind a HEAD, whose refusal has no words', async () => {
    s3.put('k', 'four');
    const { store } = await s3.open();

    expect(await store.head('k')).toMatchObject({ sizeBytes: 4 });
    expect(await store.head('l')).toBeUndefined();
    expect(s3.server.requests.map(({ operation }) => operation)).toEqual([
      'HeadObject',
      'GetObject', // refused with words
      'GetObject',
      'HeadObject',
      'HeadObject',
    ]);
    expect(regions()).toEqual(['us-east-1', 'us-east-1', 'garage', 'garage', 'garage']);
  });
});

it('is found out behind the HEAD of a bucket', async () => {
  const { posture } = await s3.open();

  expect(await posture?.ask('bucket', { signal: new AbortController().signal })).toBeDefined();
  expect(regions().at(-1)).toBe('garage');
});

describe('no circle', () => {
  it('is made by a server that never is content', async () => {
    s3.server.rules.answer = (_operation, call) => malformed('no', scopeOf(call) === 'here' ? 'there' : 'here');
    const { store } = await s3.open();

    for (const key of ['k', 'l', 'm'])
      expect((await failure(store.put(key, Buffer.from('x')))).hint).toBe('use --region there');

    expect(regions()).toEqual(['us-east-1', 'here', 'here', 'here']);
  });

  it('is made by one that wants what it gets', async () => {
    s3.server.rules.answer = (_operation, call) => malformed('no', scopeOf(call));
    const { store } = await s3.open();

    await failure(store.put('k', Buffer.from('x')));

    expect(new Set(regions())).toEqual(new Set(['us-east-1']));
  });
});

it.each([['../x'], ["a' b"], ['a/b'], ['a'.repeat(65)]])('what is no region is not taken: %s', async (region) => {
  said = () => malformed('no', region);
  const { store } = await s3.open();

  expect((await failure(store.put('k', Buffer.from('x')))).code).toBe('credentials');
  expect(regions()).toEqual(['us-east-1']);
});

it('an element of another refusal is no region to go to', async () => {
  s3.server.rules.answer = () => {
    const answer = errorAnswer(403, 'AccessDenied');
    return { ...answer, body: String(answer.body).replace('</Error>', '<Region>garage</Region></Error>') };
  };
  const { store } = await s3.open();

  expect((await failure(store.put('k', Buffer.from('x')))).code).toBe('access-denied');
  expect(regions()).toEqual(['us-east-1']);
});
