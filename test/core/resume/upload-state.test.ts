import { expect, test } from 'vitest';
import { encodeState, parseState, type UploadState } from '../../../src/core/resume/upload-state.js';
import { asUploadId } from '../../support/as-upload-id.js';

const ID = asUploadId('20260304-050607-01020304');
const STATE: UploadState = {
  uploadId: ID,
  uploadIds: [ID],
  command: 'upload',
  sources: ['/data/x'],
  sourceKey: 'L2RhdGEveA==',
  destination: 'file:///store',
  storeUrl: 'file:///store',
  flags: { tag: { '10': 'a', '9': 'b', é: 'ü' }, exclude: ['*.tmp'] },
  origins: { exclude: 'flag' },
  datasetId: 'x-12345678',
  status: 'transferring',
  createdAt: '2026-03-04T05:06:07.000Z',
  startedAt: '2026-03-04T05:06:07.000Z',
  updatedAt: '2026-03-04T05:06:09.000Z',
  totals: { files: 3, bytes: 30 },
  found: { files: 0, bytes: 0 },
  done: { files: 1, bytes: 10, chunks: 1, storedBytes: 9 },
  plan: { chunkBytes: 1, shards: 4, frameBytes: 0, level: null, nextChunk: 3 },
};
const NAME = `/home/x/.archiver/state/${ID}.json`;
const parse = (text: string): UploadState => parseState(text, ID, NAME);
const withKey = (change: Record<string, unknown>): string => encodeState({ ...STATE, ...change });

test('what was written is read', () => {
  expect(parse(encodeState(STATE))).toMatchObject(STATE);
});

test('every flipped bit is seen, and told in one sentence that names the file', () => {
  const bytes = Buffer.from(encodeState(STATE));
  for (let at = 0; at < bytes.length - 1; at++) {
    const bent = Buffer.from(bytes);
    bent.writeUInt8((bent[at] ?? 0) ^ 1, at);
    expect(() => parse(bent.toString('latin1')), `byte ${at}`).toThrow(NAME);
  }
});

test.each([
  ['nothing', '', 'integrity', 'is not a JSON document'],
  ['half of it', encodeState(STATE).slice(0, 300), 'integrity', 'is not a JSON document'],
  ['noise', '\0\x01\xff', 'integrity', 'is not a JSON document'],
  ['a list', '[]', 'integrity', 'is not an object'],
  ['another document', '{"type":"archiver-manifest"}', 'integrity', 'is not a saved upload of archiver'],
  ['one without a checksum', '{"format":1,"type":"archiver-upload-state"}', 'integrity', 'does not match its checksum'],
  ['a newer one', '{"format":2,"type":"archiver-upload-state"}', 'unsupported', 'has format 2'],
  ['that of another upload', withKey({ uploadId: '20260304-050607-0102030f' }), 'integrity', 'belongs to upload'],
  ['ids that are paths', withKey({ uploadIds: ['../../x'] }), 'integrity', 'a list of upload ids'],
  ['no time', withKey({ createdAt: 'soon' }), 'integrity', 'not a time'],
  ['an unknown status', withKey({ status: 'lost' }), 'integrity', 'not a known status'],
  ['a negative plan', withKey({ plan: { ...STATE.plan, nextChunk: -1 } }), 'integrity', 'a whole number'],
])('%s is refused', (_name, text, code, words) => {
  const failure = (() => {
    try {
      return parse(text);
    } catch (error) {
      return error;
    }
  })();

  expect(failure).toMatchObject({ name: 'ArchiverError', code, message: expect.stringContaining(words) });
});
