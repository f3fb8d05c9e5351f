import { expect, test } from 'vitest';
import { decodeUtf8 } from '../../../../src/core/platform/text/strict-utf8.js';

test.each([
  ['', 1, undefined],
  ['caf\xc3\xa9\n', 1, undefined],
  ['caf\xe9', 1, 'is not UTF-8'],
  ['a\nb\n\xff\nc', 3, 'is not UTF-8'],
  ['a\n\xc3\nb', 2, 'is not UTF-8'],
  ['a\n\xc3', 2, 'is not UTF-8'],
  ['\xff\xfea\x00', 1, 'is UTF-16 and not UTF-8'],
])('%j', (raw, line, reason) => {
  const decoded = decodeUtf8(Buffer.from(raw, 'latin1'));

  expect(decoded).toEqual(
    reason === undefined
      ? { ok: true, text: Buffer.from(raw, 'latin1').toString('utf8') }
      : { ok: false, line, reason },
  );
});
