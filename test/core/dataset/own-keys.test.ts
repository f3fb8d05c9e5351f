import { expect, test } from 'vitest';
import { nestedBase, ownKey } from '../../../src/core/dataset/own-keys.js';
import { asUploadId } from '../../support/as-upload-id.js';

const ID = asUploadId('20251114-093012-1a2b3c4d');

test.each([
  [`uploads/${ID}/shard-03/chunk-000017.tar.zst`, { kind: 'rest', area: '', upload: `uploads/${ID}` }],
  [`uploads/${ID}/files/a/b.txt`, { kind: 'rest', area: '', upload: `uploads/${ID}` }],
  [`uploads/${ID}/manifest.json.gz`, { kind: 'manifest', area: '', upload: `uploads/${ID}` }],
  [`uploads/${ID}/manifest/000001-0123abcd.json.gz`, { kind: 'rest', area: '', upload: `uploads/${ID}` }],
  [`uploads/${ID}/manifest.json.gz.pre-compact.bak`, { kind: 'manifest', area: '', upload: `uploads/${ID}` }],
  ['datasets/run-0412-aabbccdd/v00000012.json', { kind: 'record', area: '', dataset: 'datasets/run-0412-aabbccdd' }],
  ['datasets/d-1/tags/v00000012.paper-2.json', { kind: 'record', area: '', dataset: 'datasets/d-1' }],
  [
    `writers/nas-01/uploads/${ID}/manifest.json.gz`,
    { kind: 'manifest', area: 'writers/nas-01/', upload: `writers/nas-01/uploads/${ID}` },
  ],
  [
    'writers/nas-01/datasets/d-1/v00000001.json',
    { kind: 'record', area: 'writers/nas-01/', dataset: 'writers/nas-01/datasets/d-1' },
  ],
  ['writers/nas-01/status.json', { kind: 'rest', area: 'writers/nas-01/' }],
  ['fleet/nas-01/config.yaml', { kind: 'rest', area: 'fleet/nas-01/' }],
  ['fleet/nas-01/config.yaml.sig', { kind: 'rest', area: 'fleet/nas-01/' }],
])('%s is ours', (key, expected) => {
  expect(ownKey(key)).toEqual(expected);
});

test.each([
  'readme.txt',
  'uploads/holiday.jpg',
  'uploads/2025-11-14/photo.jpg',
  `uploads/${ID}`,
  `uploads/${ID}/`,
  `uploads/${ID}x/manifest.json.gz`,
  `uploads2/${ID}/manifest.json.gz`,
  `other/uploads/${ID}/manifest.json.gz`,
  'datasets/iris/data.csv',
  'datasets/iris/v1.json',
  'datasets/iris/v00000001.json.orig',
  'datasets/iris/tags/v1.json',
  'datasets/iris/tags/v00000001.a/b.json',
  'datasets/iris/deep/v00000001.json',
  'writers/nas-01/notes.txt',
  'writers/status.json',
  'writers/../uploads/x',
  'writers/nas-01/writers/nas-02/status.json',
  'fleet/nas-01/config.yaml.orig',
  'fleet/config.yaml',
])('%s is somebody else’s', (key) => {
  expect(ownKey(key)).toBeUndefined();
});

test('a base further down is noticed by what lies in it', () => {
  expect(nestedBase(`lab/a/uploads/${ID}/manifest.json.gz`)).toBe('lab/a');
  expect(nestedBase(`la\u2028b/uploads/${ID}/manifest.json.gz`)).toBe('la\u2028b');
  expect(nestedBase('lab/datasets/d-1/v00000001.json')).toBe('lab');
  expect(nestedBase('lab/uploads/photo.jpg')).toBeUndefined();
  expect(nestedBase(`uploads/${ID}/manifest.json.gz`)).toBeUndefined();
});
