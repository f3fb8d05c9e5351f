// The stores of the test vectors that are more than a chain made by test/support/make-dataset.ts.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import xxhash from 'xxhash-wasm';
import { encodeTombstone } from '../../src/core/dataset/records/tombstone.js';
import { inOrder, type Json, makeArchive, manifestText, md5 } from '../support/make-archive.js';
import { linkId, linkKey, type LinkSpec, shardsOf, totalsOf } from '../support/make-chain.js';
import {
  DATASET,
  makeDataset,
  type MadeDataset,
  recordBytes,
  recordDocument,
  recordKey,
} from '../support/make-dataset.js';

const hashes = await xxhash();
const xxh64 = (content: string, uploadId: string): string => {
  const seed = createHash('sha256').update(uploadId).digest().readBigUInt64LE();
  return hashes.h64Raw(Buffer.from(content), seed).toString(16).padStart(16, '0');
};
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const FIRST: LinkSpec = {
  files: [
    { path: 'a', content: 'one' },
    { path: 'd', type: 'directory' },
    { path: 'd-x', content: 'sorts between d and d/a', chunk: 1 },
    { path: 'd/a', content: 'inside', chunk: 1 },
    { path: 'empty', content: '' },
    { path: 'link', type: 'symlink', target: 'd/../a' },
  ],
};
export const SECOND: LinkSpec = {
  files: [
    { path: 'd', content: 'a file now, which hides d/a' },
    { path: 'new', content: 'new' },
  ],
  kept: { a: { mode: '0600' } },
};
export const THIRD: LinkSpec = { files: [{ path: 'd', type: 'directory' }], deleted: ['empty'] };

export interface Vector {
  readonly made: MadeDataset;
  readonly version: number;
  /** Its letters. */
  readonly fork?: string;
  /** Where the view is not that of the last link. */
  readonly entries?: readonly Json[];
  /** An upload that was given up and swept. */
  readonly swept?: string;
  /** Words of the refusal; otherwise it reads. */
  readonly refused?: string;
}

export const sound = (...links: readonly LinkSpec[]): Vector => ({ made: makeDataset(links), version: links.length });

export function put(made: MadeDataset, version: number, change: Json = {}): void {
  const manifestBytes = made.objects.get(linkKey(version - 1)) ?? Buffer.alloc(0);
  const manifest = made.manifests[version - 1] ?? {};
  const document = recordDocument({ version, uploadId: linkId(version - 1), manifest, manifestBytes });
  made.objects.set(recordKey(version), recordBytes({ ...document, ...change }));
}

/** The first manifest once more with other bytes: it lists the old digest in `replaces`. */
export function replaced(change: (manifest: Json) => void = () => undefined): {
  readonly made: MadeDataset;
  readonly old: string;
} {
  const made = makeDataset([FIRST, SECOND]);
  const old = sha256(made.objects.get(linkKey(0)) ?? Buffer.alloc(0));
  made.rewrite(0, (manifest) => {
    Object.assign(manifest, { tool: 'rewritten', replaces: [old] });
    change(manifest);
  });
  return { made, old };
}

/** A version that stands alone, after one of which a tombstone is left. */
export function retired(): Vector {
  const made = makeDataset([FIRST]);
  const retiredAt = '2026-03-02T12:00:00.000Z';
  const manifestBytes = made.objects.get(linkKey(0)) ?? Buffer.alloc(0);
  const document = recordDocument({
    version: 2,
    uploadId: linkId(0),
    manifest: made.manifests[0] ?? {},
    manifestBytes,
  });
  made.objects.set(recordKey(2), recordBytes(document));
  made.objects.set(recordKey(1), encodeTombstone({ datasetId: DATASET, version: 1, uploadId: linkId(9), retiredAt }));
  return { made, version: 2 };
}

const withoutPlace = ({ chunk: _c, offset: _o, segments: _s, ...entry }: Json): Json => entry;

/** A direct upload: one file with two names, an empty one, one whose path makes no key, and a chunk with the rest. */
export function direct(): Vector {
  const [first] = makeArchive({ files: [{ path: 'd/raw', content: 'raw bytes' }] }).manifest.files;
  const contents = [
    { key: 'files/d/raw', names: ['d/raw', 'd/second'], content: 'raw bytes', more: { linkGroup: 1 } },
    { key: 'files/empty', names: ['empty'], content: '', more: {} },
    {
      key: `files/.hashed/${sha256(Buffer.from('back\\slash'))}-3`,
      names: ['back\\slash'],
      content: 'under a hashed key',
      more: {},
    },
  ];
  const made = makeDataset([
    {
      files: [
        { path: 'd', type: 'directory' },
        { path: 'link', type: 'symlink', target: 'd/raw' },
      ],
      bend: (manifest) => {
        const { chunks } = manifest;
        inOrder((files) => {
          for (const { key, names, content, more } of contents) {
            const size = content.length;
            const digest = sha256(Buffer.from(content));
            const frames = size === 0 ? [] : [{ size, rawSize: size, sha256: digest }];
            const record = { chunk: chunks.length, key, shard: 0, size, rawSize: size, entries: 1, level: 0 };
            const place = { chunk: chunks.length, offset: 0, size, md5: md5(content), ...more };
            chunks.push({
              ...record,
              storageClass: 'STANDARD',
              content: 'file',
              listedIn: 0,
              sha256: digest,
              tocSize: 0,
              frames,
            });
            names.forEach((path, at) => files.push({ ...first, path, type: at === 0 ? 'file' : 'hardlink', ...place }));
          }
        })(manifest);
        const { files, bytes } = manifest['totals'] as Json;
        const storedBytes = chunks.reduce((sum, { size }) => sum + Number(size), 0);
        Object.assign(manifest['totals'] as Json, { chunks: chunks.length, storedBytes });
        manifest['shards'] = [{ shard: 0, prefix: 'shard-00', chunks: chunks.length, files, bytes, storedBytes }];
      },
    },
  ]);
  for (const { key, content } of contents) made.objects.set(`uploads/${linkId(0)}/${key}`, Buffer.from(content));
  return { made, version: 1, entries: (made.manifests[0]?.files ?? []).map(withoutPlace) };
}

/** A version that was a delta and lists everything now; the one that it was made on is retired, and its manifest is swept. */
export function compacted(): Vector {
  const made = makeDataset([FIRST, SECOND]);
  const [full, delta] = made.manifests;
  if (full === undefined || delta === undefined) throw new Error('there are two');
  const hides = ({ path }: Json): boolean =>
    delta.files.some((newer) => newer['path'] === path || String(path).startsWith(`${String(newer['path'])}/`));
  const chunks = [...delta.chunks];
  const moved = full.chunks.map((record) => {
    const key = `../${linkId(0)}/${String(record['key'])}`;
    const known = chunks.findIndex((chunk) => chunk['key'] === key);
    return known >= 0 ? known : chunks.push({ ...record, key }) - 1;
  });
  const kept = full.files
    .filter((file) => !hides(file))
    .map((file) => ({ ...file, chunk: moved[Number(file['chunk'])] }));
  const old = sha256(made.objects.get(linkKey(1)) ?? Buffer.alloc(0));
  made.rewrite(1, (manifest) => {
    Object.assign(manifest, { listing: 'full', replaces: [old], totals: manifest['view'], chunks });
    for (const key of ['previous', 'chain', 'view']) delete manifest[key];
    inOrder((files) => void files.push(...kept))(manifest);
    manifest['shards'] = shardsOf(manifest.files, chunks);
  });
  put(made, 2);
  made.objects.delete(linkKey(0));
  const retiredAt = '2026-03-02T12:00:00.000Z';
  made.objects.set(recordKey(1), encodeTombstone({ datasetId: DATASET, version: 1, uploadId: linkId(0), retiredAt }));
  return { made, version: 2 };
}

/** Entries of `files`, from one up to another, as a segment of this upload; `chunks` are those that they refer to. */
function segmentOf(
  made: MadeDataset,
  link: number,
  number: number,
  files: readonly Json[],
  chunks: readonly Json[],
): Json {
  const used = [...new Set(files.flatMap(({ chunk }) => (chunk === undefined ? [] : [Number(chunk)])))];
  const moved = files.map((file) =>
    file['chunk'] === undefined ? file : { ...file, chunk: used.indexOf(Number(file['chunk'])) },
  );
  const { storedBytes: _s, chunks: _c, skipped: _k, ...counts } = totalsOf(files, []);
  const head = { format: 1, type: 'archiver-segment', requires: [], uploadId: linkId(link), counts };
  const document = { ...head, chunks: used.map((chunk) => chunks[chunk] ?? {}), files: moved };
  const bytes = gzipSync(manifestText(document));
  const digest = sha256(bytes);
  const key = `manifest/${String(number).padStart(6, '0')}-${digest.slice(0, 8)}.json.gz`;
  made.objects.set(`uploads/${linkId(link)}/${key}`, bytes);
  return { key, size: bytes.length, sha256: digest, counts, first: files[0]?.['path'] };
}

/** Turns the manifest of a link into the head of these segments. */
function becomeHead(made: MadeDataset, link: number, segments: readonly Json[], view: Json): void {
  made.rewrite(link, (manifest) => {
    const { chunks: _chunks, files: _files, totals: _totals, shards: _shards, ...rest } = manifest;
    for (const key of Object.keys(manifest)) delete manifest[key];
    for (const key of ['previous', 'chain', 'view']) delete rest[key];
    const more = { listing: 'full', requires: ['segments'], ...view, linkGroups: 0, segments };
    Object.assign(manifest, rest, more, { chunks: [], files: [] });
  });
  put(made, link + 1);
}

/** A listing in segments, and one that names two of the three again, and has the other anew, with a file of its own upload. */
export function inSegments(change: (segments: Json[]) => void = () => undefined): Vector {
  const made = makeDataset([FIRST, { files: [{ path: 'd/a', content: 'changed' }] }]);
  const [full, delta] = made.manifests;
  if (full === undefined || delta === undefined) throw new Error('there are two');
  const [files, chunks] = [[...full.files], [...full.chunks]];
  const cuts = [files.slice(0, 2), files.slice(2, 4), files.slice(4)];
  const segments = cuts.map((part, at) => segmentOf(made, 0, at + 1, part, chunks));
  becomeHead(made, 0, segments, { totals: totalsOf(files, chunks), shards: shardsOf(files, chunks) });
  // Positions of the second upload's own chunks come after those that it names in the first.
  const all = [
    ...chunks.map((record) => ({ ...record, key: `../${linkId(0)}/${String(record['key'])}` })),
    ...delta.chunks,
  ];
  const own = delta.files.map((file): Json => ({ ...file, chunk: Number(file['chunk']) + chunks.length }));
  const middle = files.slice(2, 4).map((file) => own.find(({ path }) => path === file['path']) ?? file);
  const view = [...files.slice(0, 2), ...middle, ...files.slice(4)];
  const again = (place: Json | undefined): Json => ({ ...place, key: `../${linkId(0)}/${String(place?.['key'])}` });
  const next = [again(segments[0]), segmentOf(made, 1, 1, middle, all), again(segments[2])];
  change(next);
  const held = all.filter((_, position) => view.some(({ chunk }) => chunk === position));
  becomeHead(made, 1, next, { totals: totalsOf(view, held), shards: shardsOf(view, all) });
  return { made, version: 2 };
}

/** The seed of an XXH64 is that of the upload in whose folder the content lies, whatever manifest names it. */
export function hashed(): Vector {
  const of = (content: string, link: number): { readonly extra: Json } => ({
    extra: { xxh64: xxh64(content, linkId(link)) },
  });
  const made = makeDataset([
    {
      files: [
        { path: 'a', content: 'moved later', ...of('moved later', 0) },
        { path: 'b', content: 'stays', ...of('stays', 0) },
      ],
    },
    {
      files: [{ path: 'new', content: 'moved later, too', ...of('moved later, too', 1) }],
      kept: { a: { path: 'c' } },
      deleted: ['a'],
    },
  ]);
  return { made, version: 2 };
}

/** A version, and beside it the fence of an upload that was given up. */
export function fenced(): Vector {
  const made = makeDataset([FIRST]);
  const fence = { format: 1, type: 'archiver-fence', uploadId: linkId(9), fencedAt: '2026-03-09T12:00:00.000Z' };
  made.objects.set(linkKey(9), Buffer.from(`${JSON.stringify(fence)}\n`));
  return { made, version: 1, swept: linkId(9) };
}

/** On a plain store two writers have made the second version at once: a delta, and `v2.b`, which lists everything and is read. */
export function forked(): Vector {
  const made = makeDataset([FIRST, SECOND]);
  const other = makeArchive({ files: [{ path: 'by', content: 'another writer' }], uploadId: linkId(5) });
  for (const [key, object] of other.objects) made.objects.set(key, object);
  const bytes = made.objects.get(linkKey(5)) ?? gzipSync(manifestText(other.manifest));
  made.objects.set(linkKey(5), bytes);
  made.objects.delete(recordKey(2));
  for (const [link, manifest] of [
    [1, made.manifests[1] ?? {}],
    [5, other.manifest],
  ] as const) {
    const manifestBytes = made.objects.get(linkKey(link)) ?? Buffer.alloc(0);
    const document = recordDocument({ version: 2, uploadId: linkId(link), manifest, manifestBytes });
    made.objects.set(recordKey(2).replace('.json', `.${linkId(link)}.json`), recordBytes(document));
  }
  return { made, version: 2, fork: 'b', entries: other.manifest.files.map(withoutPlace) };
}

export function forged(): Vector {
  const { made } = replaced(({ files }) => {
    const link = (files as Json[]).find(({ path }) => path === 'link');
    Object.assign(link ?? {}, { target: '/etc/passwd' });
  });
  return { made, version: 2, refused: 'is not the one that was recorded' };
}
