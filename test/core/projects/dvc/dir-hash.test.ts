import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { FolderHasher, type FolderHash } from '../../../../src/core/projects/dvc/dir-hash.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

function hashOf(files: readonly (readonly [path: string, md5: string])[]): FolderHash & { readonly list: string } {
  let list = '';
  const hasher = new FolderHasher((text) => (list += text));
  for (const [path, digest] of files) hasher.add({ path, md5: digest, size: 3 });
  return { ...hasher.finish(), list };
}

describe('the hash of a folder', () => {
  test('is that of the example in the documentation of DVC', () => {
    const { md5: digest, list } = hashOf([
      ['cat.jpeg', 'de7371b0119f4f75f9de703c7c3bac16'],
      ['index.jpeg', '402e97968614f583ece3b35555971f64'],
    ]);

    expect(list).toBe(
      '[{"md5": "de7371b0119f4f75f9de703c7c3bac16", "relpath": "cat.jpeg"}, ' +
        '{"md5": "402e97968614f583ece3b35555971f64", "relpath": "index.jpeg"}]',
    );
    expect(digest).toBe('6fdb5336fce0dbfd669f83065f107551.dir');
  });

  // Digest and length are what `json.dumps(sorted list, sort_keys=True)` of Python 3 gave for these names. In UTF-16, the
  // order of JavaScript, U+1D11E comes before U+FF5E.
  test('is that of Python for names that both write in their own way', () => {
    const names = [
      'b.txt',
      'a-b',
      'a/b',
      'a.b',
      'é.txt',
      '\u{1d11e}.txt',
      '\uff5e.txt',
      'q"u\\o',
      'tab\there',
      'del\u007f',
      'nl\n',
      '\u001b[31m',
      '\u2028',
      'z/ü/ß',
    ];
    const inPathOrder = names.toSorted((a, b) => (rawFromText(a) < rawFromText(b) ? -1 : 1));

    const { md5: digest, list, size, nfiles } = hashOf(inPathOrder.map((name) => [name, md5(name)]));

    expect([digest, list.length]).toEqual(['f7b35f292717373a47b0ca97bd55b721.dir', 950]);
    expect([size, nfiles]).toEqual([names.length * 3, names.length]);
  });

  test('of nothing is that of an empty list', () => {
    expect(hashOf([])).toMatchObject({ md5: 'd751713988987e9331980363e24189ce.dir', size: 0, nfiles: 0, list: '[]' });
  });
});
