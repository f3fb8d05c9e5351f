// Listings that go in circles: a server at fault, or a cache in front of it that forgets the query.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { ListGuard } from '../../../../src/core/store/list-guard.js';
import { failure } from '../../../support/broken-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { listAll } from '../conformance.js';

const PATIENCE = 40;
const entry = (key: string): string =>
  `<Contents><Key>p/${key}</Key><Size>1</Size><ETag>e</ETag><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`;
const folder = (prefix: string): string => `<CommonPrefixes><Prefix>p/${prefix}</Prefix></CommonPrefixes>`;
const version = (key: string, id: string): string =>
  `<Version><Key>p/${key}</Key><VersionId>${id}</VersionId><IsLatest>true</IsLatest><Size>1</Size></Version>`;
const padded = (page: number): string => String(page).padStart(6, '0');

/** A store on a server that answers its n-th request with `answer(n)`, and gives up when it is asked without end. */
async function storeOf(answer: (page: number) => string): Promise<{ store: ObjectStore; asked: () => number }> {
  let page = 0;
  const server = http.createServer((_request, response) => {
    page += 1;
    const body = `<?xml version="1.0"?><Result><IsTruncated>${page < PATIENCE}</IsTruncated>${answer(page)}</Result>`;
    response.writeHead(200, { 'content-type': 'application/xml' }).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { store } = await openTestS3(`http://127.0.0.1:${port}`, 'bucket', { prefix: 'p' });
  return { store, asked: () => page };
}

const token = (name: string | number): string => `<NextContinuationToken>${name}</NextContinuationToken>`;
const marks = (key: string, id: string): string =>
  `<NextKeyMarker>p/${key}</NextKeyMarker><NextVersionIdMarker>${id}</NextVersionIdMarker>`;
const uploadMarks = (key: string, id: string): string =>
  `<NextKeyMarker>p/${key}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker>`;

async function drain(pages: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const page of pages) count += page === undefined ? 0 : 1;
  return count;
}

beforeAll(useTestCredentials);

describe('a listing that goes in circles', () => {
  it.each<[string, (page: number) => string, number]>([
    ['gives the same page under the same token', () => entry('k') + token('t'), 2],
    ['gives new keys under the same token', (page) => entry(padded(page)) + token('t'), 2],
    ['goes round through two tokens', (page) => entry(padded(page)) + token(page % 2), 3],
    ['gives the same page under new tokens', (page) => entry('k') + token(page), 2],
    ['gives the same folded folder under new tokens', (page) => folder('f/') + token(page), 2],
    ['goes back', (page) => entry(padded(PATIENCE - page)) + token(page), 2],
  ])('ends in one sentence when the server %s', async (_what, answer, requests) => {
    const { store, asked } = await storeOf(answer);

    const error = await failure(listAll(store, { prefix: 'data/' }));

    expect(error).toMatchObject({ code: 'store', reason: 'EndlessListing' });
    expect(error.message).toMatch(/^ListObjects s3:\/\/bucket\/p\/data\/: the listing would never end: /);
    expect(asked()).toBe(requests);
  });

  it('ends when there are only marks and never a key', () => {
    const guard = new ListGuard({ name: 'ListObjects s3://bucket/p/' });
    const pages = (count: number): void => {
      for (let page = 0; page < count; page += 1) guard.page([]);
    };

    pages(1000);
    guard.page(['k']);
    pages(1000);

    expect(() => pages(1)).toThrow('ListObjects s3://bucket/p/: the listing would never end: 1000 pages without a key');
  });

  it('ends when the server does not begin where it is told to', async () => {
    const { store } = await storeOf(() => entry('a') + token('t'));

    expect(await failure(listAll(store, { startAfter: 'b' }))).toMatchObject({ reason: 'EndlessListing' });
  });

  it('is none where pages are empty now and then, or begin inside of a folded folder', async () => {
    const { store } = await storeOf(
      (page) => (page === 1 ? folder('b/') : page % 2 === 0 ? '' : entry(`c${padded(page)}`)) + token(page),
    );

    expect((await listAll(store, { startAfter: 'b/x' })).keys).toHaveLength(PATIENCE / 2 - 1);
  });

  it.each<[string, (page: number) => string]>([
    ['gives the same page under the same marks', () => version('k', '1') + marks('k', '1')],
    ['goes round through two marks', (page) => version('k', String(page % 2)) + marks('k', String(page % 2))],
    ['goes back', (page) => version(padded(PATIENCE - page), '1') + marks(padded(PATIENCE - page), '1')],
  ])('ends for versions when the server %s', async (_what, answer) => {
    const { store, asked } = await storeOf(answer);

    const error = await failure(drain(store.listVersions({ prefix: 'data/' })));

    expect(error).toMatchObject({ code: 'store', reason: 'EndlessListing' });
    expect(error.message).toContain('s3://bucket/p/data/');
    expect(asked()).toBeLessThan(4);
  });

  it('is none for the many versions of one key', async () => {
    const { store, asked } = await storeOf((page) => version('k', padded(page)) + marks('k', padded(page)));

    await drain(store.listVersions());

    expect(asked()).toBe(PATIENCE);
  });

  it.each<[string, (page: number) => string]>([
    ['gives the same page under the same marks', () => uploadMarks('k', '1')],
    [
      'goes back',
      (page) => `<Upload><Key>p/${padded(PATIENCE - page)}</Key></Upload>${uploadMarks('k', String(page))}`,
    ],
  ])('ends for unfinished uploads when the server %s', async (_what, answer) => {
    const { store, asked } = await storeOf(answer);

    const error = await failure(drain(store.listMultipart('data/')));

    expect(error).toMatchObject({ code: 'store', reason: 'EndlessListing' });
    expect(error.message).toContain('ListMultipartUploads s3://bucket/p/data/: ');
    expect(asked()).toBe(2);
  });

  it('does not take a page of uploads for all when the server does not say where it goes on', async () => {
    const { store } = await storeOf(() => '');

    expect((await failure(drain(store.listMultipart('')))).message).toContain('does not say where');
  });
});
