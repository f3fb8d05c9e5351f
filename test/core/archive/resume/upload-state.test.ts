import { expect, test } from 'vitest';
import { encodeState, parseState, type UploadState } from '../../../../src/core/archive/resume/upload-state.js';
import { SAMPLE_ID as ID, SAMPLE_STATE as STATE } from './sample-state.js';

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
  ['ids that are paths', withKey({ uploadIds: ['../../x'] }), 'integrity', 'uploadId 1 of'],
  ['no time', withKey({ createdAt: 'soon' }), 'integrity', 'not a time'],
  ['an unknown status', withKey({ status: 'lost' }), 'integrity', 'not one of transferring'],
  ['a number of chunks that is none', withKey({ plan: { ...STATE.plan, chunks: '4' } }), 'integrity', 'a whole number'],
  ['a negative plan', withKey({ plan: { ...STATE.plan, shards: -1 } }), 'integrity', 'a whole number'],
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
