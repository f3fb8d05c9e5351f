import { describe, expect, it } from 'vitest';
import {
  checkKey,
  formatStoreUrl,
  joinKey,
  joinStoreUrl,
  parseStoreUrl,
  splitUploadUrl,
} from '../../../src/core/store/store-url.js';

describe('parseStoreUrl', () => {
  it.each([
    ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '' }],
    ['s3://bucket/', { kind: 's3', bucket: 'bucket', prefix: '' }],
    ['s3://my.dotted.bucket/a/b/', { kind: 's3', bucket: 'my.dotted.bucket', prefix: 'a/b' }],
    ['s3://bucket//a', { kind: 's3', bucket: 'bucket', prefix: 'a' }],
    ['s3://bucket/a b+%20ü', { kind: 's3', bucket: 'bucket', prefix: 'a b+%20ü' }],
    ['file:///srv/backup', { kind: 'file', folder: '/srv/backup' }],
    ['file:///srv//backup/', { kind: 'file', folder: '/srv/backup' }],
    ['file:///srv/a b%20ü#?', { kind: 'file', folder: '/srv/a b%20ü#?' }],
  ])('reads %s', (url, expected) => {
    expect(parseStoreUrl(url)).toEqual(expected);
  });

  it.each([
    ['', /not a store URL/],
    ['bucket/prefix', /not a store URL/],
    ['http://bucket', /not a store URL/],
    ['s3://', /names no bucket/],
    ['s3:///key', /names no bucket/],
    ['s3://a', /not a bucket name/],
    ['s3://-bucket', /not a bucket name/],
    ['s3://192.168.0.1/x', /not a bucket name/],
    ['s3://a..b', /not a bucket name/],
    ['s3://bad_bucket', /not a bucket name/],
    ['s3://Bucket/x', /not a bucket name/],
    [`s3://${'b'.repeat(64)}`, /not a bucket name/],
    ['s3://bucket/a/../b', /'\.' or '\.\.' segment/],
    ['file://relative/x', /relative path.*file:\/\/\/relative\/x/],
    ['file://', /names no folder/],
    ['file:///', /whole file system/],
  ])('refuses %j in one sentence', (url, message) => {
    const act = (): unknown => parseStoreUrl(url);

    expect(act).toThrow(message);
    expect(act).toThrow(expect.objectContaining({ code: 'usage', exitCode: 2 }));
  });

  it('formats without a trailing slash', () => {
    for (const url of ['s3://bucket', 's3://bucket/a/b', 'file:///srv/x y']) {
      expect(formatStoreUrl(parseStoreUrl(`${url}/`))).toBe(url);
    }
  });
});

describe('joining', () => {
  it.each([
    [['a', 'b'], 'a/b'],
    [['a/', '/b'], 'a/b'],
    [['', 'b'], 'b'],
    [['a', '', 'b/'], 'a/b/'],
    [['a/b', 'c//d'], 'a/b/c//d'],
  ])('%j makes %s', (parts, expected) => {
    expect(joinKey(...parts)).toBe(expected);
  });

  it('joins URLs of both kinds', () => {
    expect(joinStoreUrl('s3://bucket/', 'writers', 'w1')).toBe('s3://bucket/writers/w1');
    expect(joinStoreUrl('s3://bucket/data/', '/x/')).toBe('s3://bucket/data/x');
    expect(joinStoreUrl('file:///srv/', 'a')).toBe('file:///srv/a');
    expect(joinStoreUrl('file:///srv', '')).toBe('file:///srv');
  });

  it('counts the prefix into the 1024 bytes of a key', () => {
    expect(checkKey('x'.repeat(1024))).toHaveLength(1024);
    expect(() => checkKey('x'.repeat(1020), 'abcd')).toThrow(/1025 bytes/);
    expect(() => checkKey('\ud800')).toThrow(/Unicode/);
  });
});

describe('splitUploadUrl', () => {
  it.each([
    ['s3://bucket/uploads/20260102-030405-abcdef01', 's3://bucket', '20260102-030405-abcdef01'],
    ['s3://bucket/a/b/uploads/id/', 's3://bucket/a/b', 'id'],
    ['s3://bucket/p/writers/w1/uploads/id', 's3://bucket/p/writers/w1', 'id'],
    ['file:///srv/backup/uploads/id', 'file:///srv/backup', 'id'],
    ['s3://bucket/uploads/uploads/id', 's3://bucket/uploads', 'id'],
  ])('splits %s', (url, baseUrl, uploadId) => {
    expect(splitUploadUrl(url)).toEqual({ baseUrl, uploadId });
  });

  it.each([
    's3://bucket',
    's3://bucket/uploads',
    's3://bucket/uploads/id/more',
    's3://uploads/id',
    'file:///uploads/id',
  ])('finds no upload in %s', (url) => {
    expect(splitUploadUrl(url)).toBeUndefined();
  });
});
