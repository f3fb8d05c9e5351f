// npx tsx test/vectors/make-vectors.ts [FOLDER]: writes the test vectors of docs/format.md, small stores and what a reader finds in
// them. They are made by the page (test/support/make-*.ts), not by the writer, and come out the same every time.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../support/make-archive.js';
import { linkKey, type LinkSpec } from '../support/make-chain.js';
import { DATASET, makeDataset } from '../support/make-dataset.js';
import {
  compacted,
  direct,
  fenced,
  FIRST,
  forged,
  forked,
  hashed,
  inSegments,
  put,
  replaced,
  retired,
  SECOND,
  sha256,
  sound,
  THIRD,
  type Vector,
} from './stores.js';

function bentFirst(change: (manifest: Json & { files: Json[] }) => void, refused: string): Vector {
  return { made: makeDataset([{ ...FIRST, bend: change }]), version: 1, refused };
}

const VECTORS: Readonly<Record<string, () => Vector>> = {
  'empty-tree': () => sound({ files: [] }),
  plain: () => sound(FIRST),
  'nasty-names': () =>
    sound({
      files: [
        { path: ' leading and trailing ', content: 'blanks' },
        { path: '"quoted"\\backslash', content: 'escapes' },
        { path: 'line\nend', content: 'line end' },
        { path: 'ä-\u{1F600}', content: 'beyond ASCII' },
        { path: `${'long/'.repeat(24)}name`, content: 'over 100 bytes' },
        { path: '\uE000', content: 'before the next in bytes, after it in UTF-16' },
        { path: '\u{10000}', content: 'last' },
      ].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))),
    }),
  delta: () => sound(FIRST, SECOND),
  deletions: () => sound(FIRST, SECOND, THIRD),
  'links-holes-attributes': () =>
    sound({
      files: [
        { path: 'first', content: 'shared', linkGroup: 1 },
        { path: 'second', type: 'hardlink', linkTo: 'first', linkGroup: 1 },
        { path: 'sparse', content: 'headtail', size: 1_000_008, holes: [[4, 1_000_000]] },
        {
          path: 'with',
          content: 'attributes',
          extra: { xattrs: { 'user.name': 'dmFsdWU=', 'base64:dXNlci7/': 'AA==' } },
        },
      ],
    }),
  cut: () =>
    sound({
      files: [
        { path: 'cut', content: Buffer.from('0123456789'.repeat(30)), pieces: 128 },
        { path: 'other', content: 'x', chunk: 3 },
      ],
    }),
  'replaced-manifest': () => {
    const { made } = replaced();
    put(made, 1);
    return { made, version: 2 };
  },
  'being-replaced': () => {
    const { made, old } = replaced();
    put(made, 1, { manifestSha256: old, replacementSha256: sha256(made.objects.get(linkKey(0)) ?? Buffer.alloc(0)) });
    return { made, version: 2 };
  },
  tombstone: retired,
  direct,
  compacted,
  segments: () => inSegments(),
  xxh64: hashed,
  fence: fenced,
  fork: forked,
  'refuse-forged-replaces': forged,
  'refuse-segment': () => ({
    ...inSegments((segments) => Object.assign(segments[2] ?? {}, { sha256: '0'.repeat(64) })),
    refused: 'its digest differs',
  }),
  'refuse-order': () =>
    bentFirst((manifest) => (manifest.files = manifest.files.toReversed()), 'does not list its entries in path order'),
  'refuse-totals': () =>
    bentFirst(({ totals }) => Object.assign(totals as Json, { bytes: 33 }), 'of 33 bytes, but the '),
  'refuse-totals-of-the-view': () => {
    const bend: LinkSpec['bend'] = ({ view }) => Object.assign(view as Json, { hardlinks: 1 });
    return { ...sound(FIRST, { ...SECOND, bend }), refused: 'of 1 hard links, but the view has 0' };
  },
  'refuse-attributes': () =>
    bentFirst(({ files }) => void Object.assign(files[0] ?? {}, { xattrs: { 'user.a': 'no base64!' } }), 'not base64'),
  'refuse-double-key': () =>
    bentFirst(({ files }) => {
      const twice = JSON.stringify(files[0]).replace('{', '{"mode":"0600",');
      (files as unknown[])[0] = twice;
    }, 'twice'),
  'refuse-date': () =>
    bentFirst(
      ({ files }) => void Object.assign(files[0] ?? {}, { mtime: '2026-02-30T00:00:00.000000000Z' }),
      'not a time',
    ),
};

const target = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));
for (const [name, make] of Object.entries(VECTORS)) {
  const vector = make();
  const folder = join(target, name);
  rmSync(folder, { recursive: true, force: true });
  for (const [key, bytes] of vector.made.objects) {
    const path = join(folder, 'store', key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const { version, fork, refused, swept, entries = vector.made.views.at(-1) ?? [] } = vector;
  const found = refused === undefined ? { entries } : { refused };
  const expected = {
    datasetId: DATASET,
    version,
    ...(fork !== undefined && { fork }),
    ...found,
    ...(swept !== undefined && { swept }),
  };
  writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, undefined, 2)}\n`);
}
