// What a request asks for: its path, conditions, range, token and the body of a PROPFIND.
import { describe, expect, it, test } from 'vitest';
import { byteRange } from '../../../src/core/serve/byte-range.js';
import { conditionStatus, mayUseRange } from '../../../src/core/serve/conditions.js';
import { wantedProperties } from '../../../src/core/serve/propfind-body.js';
import { checkToken, randomToken, shownToken } from '../../../src/core/serve/token.js';
import { requestPath, urlPath } from '../../../src/core/serve/url-path.js';
import { rawFromLatin1 } from '../../../src/core/platform/paths/raw-path.js';

describe('the path of a request', () => {
  it('is bytes, which are encoded as they were', () => {
    const names = ['a b', 'ü', '\xff\xfe', '%2e', 'x?y#z', '"<>&\'', '\n'].map((name) => rawFromLatin1(name));
    const path = urlPath(names, true);

    expect(path).toMatch(/^[\x21-\x7e]+$/);
    expect(requestPath(path)).toMatchObject({ parts: names, isFolder: true });
    expect(requestPath('http://other/a/b?sort=size')).toMatchObject({ parts: ['a', 'b'], isFolder: false });
    expect(requestPath('/')).toMatchObject({ parts: [], isFolder: true });
  });

  test.each([
    '//evil/',
    '/a//b',
    '/../a',
    '/a/%2e%2e/b',
    '/%2e/',
    '/a%2fb',
    '/a%00',
    '/%zz',
    '/%4',
    'a',
    '/\xff',
    '/a b',
    '*',
  ])('is none in %j', (target) => expect(requestPath(target)).toBeUndefined());
});

test.each<[header: string | undefined, size: number, expected: ReturnType<typeof byteRange>]>([
  [undefined, 10, undefined],
  ['bytes=0-3', 10, { start: 0, end: 4 }],
  ['bytes=5-', 10, { start: 5, end: 10 }],
  ['bytes=8-99', 10, { start: 8, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['Bytes=9-9', 10, { start: 9, end: 10 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, undefined],
  ['bytes=5-3', 10, undefined],
  ['bytes=0-1,4-5', 10, undefined],
  ['lines=0-1', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['bytes=-', 10, undefined],
])('the range %j of %i bytes', (header, size, expected) => expect(byteRange(header, size)).toEqual(expected));

test.each<[headers: Record<string, string>, expected: 304 | 412 | undefined]>([
  [{}, undefined],
  [{ 'if-none-match': '"x", "abc"' }, 304],
  [{ 'if-none-match': 'W/"abc"' }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"x"', 'if-modified-since': 'Thu, 26 Nov 2026 22:45:07 GMT' }, undefined],
  [{ 'if-modified-since': 'Thu, 26 Nov 2026 22:45:07 GMT' }, 304],
  [{ 'if-modified-since': 'Thu, 26 Nov 2026 22:45:06 GMT' }, undefined],
  [{ 'if-modified-since': 'yesterday' }, undefined],
  [{ 'if-match': '"abc"' }, undefined],
  [{ 'if-match': 'W/"abc"' }, 412],
  [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 412],
  [{ 'if-unmodified-since': 'Thu, 26 Nov 2026 22:45:06 GMT' }, 412],
  [{ 'if-unmodified-since': 'Thu, 26 Nov 2026 22:45:07 GMT' }, undefined],
])('the conditions %j', (headers, expected) => {
  const validators = { etag: '"abc"', modified: new Date('2026-11-26T22:45:07.900Z') };
  expect(conditionStatus(headers, validators)).toBe(expected);
});

test('a range is sent for the very content that it was begun of, and a date does not name it', () => {
  const validators = { etag: '"abc"', modified: new Date(0) };
  const may = ['"abc"', '"x"', 'W/"abc"', new Date(0).toUTCString()].map((header) =>
    mayUseRange({ 'if-range': header }, validators),
  );
  expect(may).toEqual([true, false, false, false]);
  expect(mayUseRange({}, validators)).toBe(true);
});

describe('the token', () => {
  const token = randomToken();
  const shown = (headers: Record<string, string>, query = '') =>
    shownToken(token, 'archiver-80', { headers, query: new URLSearchParams(query) });

  it('is shown in the address, as a cookie, as a password and as a Bearer token', () => {
    expect(shown({}, `token=${token}`)).toBe('address');
    expect(shown({ cookie: `a=b; archiver-80=${token}` })).toBe('header');
    expect(shown({ authorization: `Basic ${Buffer.from(`me:${token}`).toString('base64')}` })).toBe('header');
    expect(shown({ authorization: `Bearer ${token}` })).toBe('header');
  });

  it('is not another one, nor the cookie of another server', () => {
    expect(shown({})).toBeUndefined();
    expect(shown({ authorization: 'Bearer x', cookie: `archiver-81=${token}` }, 'token=')).toBeUndefined();
    expect(shown({ authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` })).toBeUndefined();
  });

  it('is long enough that nobody guesses it', () => {
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(checkToken(token, '--token')).toBe(token);
    for (const text of ['', 'short', 'with spaces in it all', 'semicolons;are;not;fine'])
      expect(() => checkToken(text, '--token')).toThrow('--token wants at least 16');
  });
});

describe('the body of a PROPFIND', () => {
  const prop = (inner: string, root = 'xmlns:d="DAV:"'): string =>
    `<?xml version="1.0"?>\n<!-- a > b --><d:propfind ${root}>${inner}</d:propfind>`;

  it('asks for all, for the names, or for some', () => {
    expect(wantedProperties('')).toEqual({ kind: 'all' });
    expect(wantedProperties(prop('<d:allprop/><d:include><d:x/></d:include>'))).toEqual({ kind: 'all' });
    expect(wantedProperties(prop('<d:propname/>'))).toEqual({ kind: 'names' });
    expect(wantedProperties(prop('<d:prop><d:getetag/><x xmlns="urn:a>b"></x><o:y xmlns:o=\'u\'/></d:prop>'))).toEqual({
      kind: 'named',
      names: [
        { space: 'DAV:', name: 'getetag' },
        { space: 'urn:a>b', name: 'x' },
        { space: 'u', name: 'y' },
      ],
    });
    expect(wantedProperties('<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>')).toMatchObject({
      kind: 'named',
    });
  });

  test.each([
    'text',
    prop(''),
    prop('<d:prop>'),
    prop('<d:prop><e:x/></d:prop>'),
    prop('<d:prop><d:a></d:b></d:prop>'),
    prop('<d:allprop/>', 'xmlns:d="other"'),
    prop(`${'<d:a>'.repeat(9)}${'</d:a>'.repeat(9)}<d:allprop/>`),
    '<!DOCTYPE x [<!ENTITY e "e">]><d:propfind xmlns:d="DAV:"><d:allprop/></d:propfind>',
    prop('<d:prop><x xmlns="a&amp;b"/></d:prop>'),
    prop('<d:prop><1/></d:prop>'),
  ])('is none in %j', (body) => expect(wantedProperties(body)).toBeUndefined());
});
