// Builds archives by docs/format.md and nothing of src/core/archive, so that readers are tested against the page and not
// against our writer. Everything can be bent before it is written.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { loadCodec } from '../../src/core/platform/codec/codec.js';
import { asUploadId } from './as-upload-id.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';

export type Json = Record<string, unknown>;

export interface FileSpec {
  readonly path: string;
  readonly content?: string | Buffer;
  readonly type?: 'file' | 'directory' | 'symlink' | 'hardlink';
  readonly mode?: string;
  readonly mtime?: string;
  readonly target?: string;
  readonly linkGroup?: number;
  /** Of a hard link: path of the member that holds the data. */
  readonly linkTo?: string;
  /** Sparse: the content is the stored runs. */
  readonly holes?: readonly (readonly [number, number])[];
  readonly size?: number;
  /** Cut into pieces of so many bytes, each in a chunk of its own. */
  readonly pieces?: number;
  /** The first piece lies in the last chunk. */
  readonly isBackwards?: boolean;
  readonly chunk?: number;
  readonly extra?: Json;
}

export interface ArchiveSpec {
  readonly files: readonly FileSpec[];
  readonly uploadId?: UploadId;
  readonly frameSize?: number;
  /** Bends the manifest before it is written; `files` are its entries. */
  readonly bend?: (manifest: Json & { files: Json[]; chunks: Json[] }) => void;
  /** Bends the frames of a chunk before the manifest learns of them. */
  readonly bendFrame?: (frame: Buffer, raw: Buffer) => Buffer;
}

export interface MadeArchive {
  readonly uploadId: UploadId;
  readonly objects: Map<string, Buffer>;
  readonly manifest: Json & { files: Json[]; chunks: Json[] };
  readonly manifestKey: string;
}

export const UPLOAD_ID = asUploadId('20251114-093012-1a2b3c4d');
const MTIME = '2025-11-14T09:30:12.123456789Z';
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const md5 = (bytes: Uint8Array | string): string => createHash('md5').update(bytes).digest('hex');
const pad = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);

function header(name: string, size: number, type: string, linkName = ''): Buffer {
  const block = Buffer.alloc(512);
  block.write(name.slice(0, 100), 0, 'latin1');
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(linkName.slice(0, 100), 157, 'latin1');
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function pax(records: Readonly<Record<string, string>>): Buffer {
  const body = Object.entries(records)
    .map(([key, value]) => {
      // The length counts its own digits.
      const rest = ` ${key}=${value}\n`.length;
      const short = rest + String(rest).length;
      const length = rest + String(short).length;
      return `${length} ${key}=${value}\n`;
    })
    .join('');
  const bytes = Buffer.from(body, 'latin1');
  return Buffer.concat([header('PaxHeader', bytes.length, 'x'), pad(bytes)]);
}

const raw = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

class Builder {
  readonly tars: Buffer[][] = [];
  readonly entries: Json[] = [];
  private readonly places = new Map<string, Json>();

  private at(chunk: number): number {
    this.tars[chunk] ??= [];
    return this.tars[chunk].reduce((sum, { length }) => sum + length, 0);
  }

  private append(chunk: number, ...parts: Buffer[]): void {
    (this.tars[chunk] ??= []).push(...parts);
  }

  add(spec: FileSpec): void {
    const { path, type = 'file', chunk = 0 } = spec;
    const content = Buffer.from(spec.content ?? '');
    const base: Json = { path, type };
    const rest = {
      mtime: spec.mtime ?? MTIME,
      mode: spec.mode ?? (type === 'directory' ? '0755' : '0644'),
      uid: 0,
      gid: 0,
      ctime: MTIME,
      inode: '1',
      ...spec.extra,
    };
    const name = raw(path);
    if (name.length > 100) this.append(chunk, pax({ path: name }));
    if (type === 'directory') {
      this.append(chunk, header(`${name}/`, 0, '5'));
      this.entries.push({ ...base, chunk, ...rest });
    } else if (type === 'symlink') {
      this.append(chunk, header(name, 0, '2', raw(spec.target ?? '')));
      this.entries.push({ ...base, target: spec.target, chunk, ...rest });
    } else if (type === 'hardlink') {
      this.append(chunk, header(name, 0, '1', raw(spec.linkTo ?? '')));
      this.entries.push({ ...base, ...this.places.get(spec.linkTo ?? ''), linkGroup: spec.linkGroup, ...rest });
    } else {
      this.file(spec, content, { ...base, ...rest });
    }
  }

  private file(spec: FileSpec, content: Buffer, entry: Json): void {
    const { path, pieces, holes, linkGroup, chunk = 0 } = spec;
    if (pieces !== undefined) {
      this.cut(spec, content, entry);
      return;
    }
    const place = holes === undefined ? this.plain(raw(path), content, chunk) : this.sparse(raw(path), content, spec);
    this.places.set(path, place);
    this.entries.push({ ...entry, ...place, ...(linkGroup === undefined ? {} : { linkGroup }) });
  }

  private plain(name: string, content: Buffer, chunk: number): Json {
    this.append(chunk, header(name, content.length, '0'));
    const offset = this.at(chunk);
    this.append(chunk, pad(content));
    return { size: content.length, md5: md5(content), chunk, offset };
  }

  private sparse(name: string, content: Buffer, { holes = [], size = 0, chunk = 0 }: FileSpec): Json {
    const runs: [number, number][] = [];
    let end = 0;
    for (const [offset, length] of [...holes, [size, 0] as const]) {
      if (offset > end) runs.push([end, offset - end]);
      end = offset + length;
    }
    const map = pad(
      Buffer.from(`${runs.length}\n${runs.map(([offset, length]) => `${offset}\n${length}\n`).join('')}`),
    );
    const records = {
      'GNU.sparse.major': '1',
      'GNU.sparse.minor': '0',
      'GNU.sparse.name': name,
      'GNU.sparse.realsize': String(size),
    };
    this.append(chunk, pax(records), header(name, map.length + content.length, '0'), map);
    const offset = this.at(chunk);
    this.append(chunk, pad(content));
    const whole = Buffer.alloc(size);
    let at = 0;
    for (const [start, length] of runs) at += content.copy(whole, start, at, at + length);
    return { size, md5: md5(whole), chunk, offset, holes };
  }

  private cut(
    { path, pieces = 1, chunk: first = 0, isBackwards = false }: FileSpec,
    content: Buffer,
    entry: Json,
  ): void {
    const count = Math.ceil(content.length / pieces);
    const segments = Array.from({ length: count }, (_, index) => {
      const part = content.subarray(index * pieces, (index + 1) * pieces);
      const chunk = first + (isBackwards ? count - 1 - index : index);
      const records = {
        'ARCHIVER.part.path': raw(path),
        'ARCHIVER.part.number': String(index + 1),
        'ARCHIVER.part.of': String(count),
      };
      this.append(chunk, pax(records), header(`${path}.part-${index + 1}`, part.length, '0'));
      const offset = this.at(chunk);
      this.append(chunk, pad(part));
      return { chunk, offset, size: part.length };
    });
    this.entries.push({ ...entry, size: content.length, md5: md5(content), segments });
  }
}

const TOC = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]), Buffer.from('toc!')]);

/** Compresses one frame. */
export function frameOf(bytes: Buffer): Buffer {
  const codec = loadCodec();
  const target = Buffer.alloc(codec.compressBound(bytes.length));
  return target.subarray(0, codec.compressFrame(target, bytes, 3));
}

/** The text of a manifest as docs/format.md lays it out. */
export function manifestText({
  files,
  chunks,
  ...head
}: Json & { files: readonly unknown[]; chunks: readonly unknown[] }): string {
  const lines = (items: readonly unknown[]): string =>
    items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(',\n');
  return `${JSON.stringify(head).slice(0, -1)},\n"chunks":[\n${lines(chunks)}\n],\n"files":[\n${lines(files)}${files.length > 0 ? '\n' : ''}]}\n`;
}

const nameOf = ({ path, pathBase64 }: Json): Buffer =>
  pathBase64 === undefined ? Buffer.from(String(path)) : Buffer.from(pathBase64 as string, 'base64');
const byteOrder = (a: Json, b: Json): number => Buffer.compare(nameOf(a), nameOf(b));

/** Bends the entries of a full listing, and puts order and totals right again: for tests that are not about these. */
export const inOrder =
  (bend: (files: Json[]) => void): NonNullable<ArchiveSpec['bend']> =>
  (manifest) => {
    bend(manifest.files);
    manifest.files.sort(byteOrder);
    Object.assign(manifest['totals'] as Json, countsOf(manifest.files));
  };

function countsOf(files: readonly Json[]): Json {
  const count = (type: string): number => files.filter((file) => file['type'] === type).length;
  const directories = count('directory');
  const bytes = files.reduce((sum, file) => sum + Number(file['size'] ?? 0), 0);
  const kinds = { directories, symlinks: count('symlink'), hardlinks: count('hardlink') };
  return { entries: files.length, files: files.length - directories, ...kinds, bytes };
}

/** Builds an archive in memory; keys are relative to the base. */
export function makeArchive({
  files,
  uploadId = UPLOAD_ID,
  frameSize = 64 * 1024,
  bend,
  bendFrame,
}: ArchiveSpec): MadeArchive {
  const builder = new Builder();
  for (const file of files) builder.add(file);
  const objects = new Map<string, Buffer>();
  const chunks = Array.from(builder.tars, (parts = []) => parts).map((parts, chunk) => {
    const tar = Buffer.concat([...parts, Buffer.alloc(1024)]);
    const frames: Json[] = [];
    const stored: Buffer[] = [];
    for (let at = 0; at < tar.length; at += frameSize) {
      const piece = tar.subarray(at, at + frameSize);
      const frame = bendFrame?.(frameOf(piece), piece) ?? frameOf(piece);
      stored.push(frame);
      frames.push({ size: frame.length, rawSize: piece.length, sha256: sha256(frame) });
    }
    const object = Buffer.concat([...stored, TOC]);
    const key = `shard-0${chunk % 2}/chunk-${String(chunk).padStart(6, '0')}.tar.zst`;
    objects.set(`uploads/${uploadId}/${key}`, object);
    const record = {
      chunk,
      key,
      shard: chunk % 2,
      size: object.length,
      rawSize: tar.length,
      entries: 1,
      level: 3,
      storageClass: 'STANDARD',
    };
    return { ...record, sha256: sha256(object), tocSize: TOC.length, frames };
  });
  const manifest = { ...describe(builder.entries.toSorted(byteOrder), chunks), uploadId };
  bend?.(manifest);
  const manifestKey = `uploads/${uploadId}/manifest.json.gz`;
  objects.set(manifestKey, gzipSync(manifestText(manifest)));
  return { uploadId, objects, manifest, manifestKey };
}

function describe(
  files: Json[],
  chunks: (Json & { size: number; shard: number })[],
): Json & { files: Json[]; chunks: Json[] } {
  const bytesOf = (list: Json[]): number => list.reduce((sum, file) => sum + Number(file['size'] ?? 0), 0);
  const shardOf = (file: Json): number => {
    const segments = file['segments'] as { chunk: number }[] | undefined;
    return chunks[segments?.at(-1)?.chunk ?? Number(file['chunk'])]?.shard ?? -1;
  };
  const shards = [...new Set(chunks.map(({ shard }) => shard))].map((shard) => {
    const own = files.filter((file) => file['type'] !== 'directory' && shardOf(file) === shard);
    const ownChunks = chunks.filter((chunk) => chunk.shard === shard);
    const storedBytes = ownChunks.reduce((sum, { size }) => sum + size, 0);
    return {
      shard,
      prefix: `shard-0${shard}`,
      chunks: ownChunks.length,
      files: own.length,
      bytes: bytesOf(own),
      storedBytes,
    };
  });
  return {
    format: 1,
    type: 'archiver-manifest',
    tool: 'a test',
    codec: 'zstd 1.5',
    uploadId: UPLOAD_ID,
    createdAt: '2025-11-14T09:30:12.000Z',
    listing: 'full',
    datasetId: 'made-00000000',
    source: { path: '/made', host: 'test', mode: '0750', mtime: MTIME, uid: 0, gid: 0 },
    storage: { url: 'memory:' },
    settings: {
      shardStrategy: 'round-robin',
      shardCount: 2,
      compression: { algorithm: 'zstd', level: 3 },
      frameSize: 65536,
      chunkSize: 1048576,
      fileChecksums: true,
    },
    totals: {
      ...countsOf(files),
      storedBytes: chunks.reduce((sum, { size }) => sum + size, 0),
      chunks: chunks.length,
      skipped: 0,
    },
    shards,
    chunks,
    files,
  };
}
