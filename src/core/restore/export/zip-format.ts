// A zip as APPNOTE.TXT 6.3 has it, written as a stream: sizes and checksum of a file follow its content, which is deflated. Names are UTF-8,
// modes and links as Info-ZIP has them, times to the second. Sizes of 64 bits only where they are needed. It has no owners by name, hard
// links, holes, nor attributes.
import { Readable } from 'node:stream';
import { createDeflateRaw } from 'node:zlib';
import { textFromRaw, bytesOf, pathBelow, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { dataRuns } from '../plan/sparse-map.js';
import { scatter } from '../write/content-hash.js';
import type { ArchivedEntry, ArchiveFormat, Bytes, StoredContent } from './archive-format.js';
import { Crc32 } from './crc32.js';
import { centralRecord, descriptor, type ZipRecord, endRecords, localHeader } from './zip-records.js';

const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const S_IFLNK = 0o120000;
const ZEROS = Buffer.alloc(1 << 20);
/** Deflate may make content larger by a part in a thousand. */
const SMALL_BYTES = 0xf0000000;

export class ZipFormat implements ArchiveFormat {
  readonly hasHardLinks = false;
  readonly hasFoldersFirst = true;
  private readonly records: ZipRecord[] = [];
  private offset = 0;

  problem({ path }: ArchivedEntry): string | undefined {
    if (textFromRaw(path) === undefined) return 'its name is no UTF-8, which a zip cannot have; a tar can';
    return path.length > 0xffff ? 'its name is longer than a zip can have' : undefined;
  }

  async *file(entry: ArchivedEntry, stored: StoredContent): Bytes {
    const record = this.recordOf(entry, S_IFREG, { name: entry.path, isStream: true, is64: entry.size >= SMALL_BYTES });
    yield this.counted(localHeader(record));
    const crc = new Crc32();
    let size = 0;
    const before = this.offset;
    const counting = async function* (): Bytes {
      for await (const bytes of withHoles(entry, stored)) {
        crc.update(bytes);
        size += bytes.byteLength;
        yield bytes;
      }
    };
    const source = Readable.from(counting(), { objectMode: false });
    const deflate = createDeflateRaw();
    source.on('error', (error) => deflate.destroy(error));
    try {
      for await (const piece of source.pipe(deflate) as AsyncIterable<Buffer>) yield this.counted(piece);
    } finally {
      source.destroy();
    }
    const sums = { crc32: crc.value, size, compressedSize: this.offset - before };
    yield this.counted(descriptor(record, sums));
    this.records.push({ ...record, ...sums });
  }

  /** Never asked for: each name of a file has the content. */
  hardLink(): Bytes {
    throw new Error('a zip has no hard links');
  }

  async *symlink(entry: ArchivedEntry, target: RawPath): Bytes {
    yield* this.small(entry, S_IFLNK, entry.path, bytesOf(target));
  }

  async *folder(entry: ArchivedEntry): Bytes {
    yield* this.small(entry, S_IFDIR, pathBelow(entry.path, TOP), Buffer.alloc(0));
  }

  async *end(): Bytes {
    const start = this.offset;
    for (const record of this.records) yield this.counted(centralRecord(record));
    yield endRecords(this.records.length, start, this.offset - start);
  }

  private async *small(entry: ArchivedEntry, type: number, name: RawPath, content: Buffer): Bytes {
    const crc = new Crc32();
    crc.update(content);
    const sums = { crc32: crc.value, size: content.byteLength, compressedSize: content.byteLength };
    const record = { ...this.recordOf(entry, type, { name, isStream: false, is64: false }), ...sums };
    yield this.counted(localHeader(record));
    if (content.byteLength > 0) yield this.counted(content);
    this.records.push(record);
  }

  private recordOf(
    { mode, uid, gid, mtimeSeconds }: ArchivedEntry,
    type: number,
    { name, ...how }: { readonly name: RawPath; readonly isStream: boolean; readonly is64: boolean },
  ): ZipRecord {
    const nothing = { crc32: 0, size: 0, compressedSize: 0 };
    return { name: bytesOf(name), mode: type | mode, uid, gid, mtimeSeconds, offset: this.offset, ...how, ...nothing };
  }

  private counted(bytes: Buffer): Buffer {
    this.offset += bytes.byteLength;
    return bytes;
  }
}

/** The content with its holes as zeros. */
async function* withHoles({ size, extra }: ArchivedEntry, stored: StoredContent): Bytes {
  const runs = dataRuns(size, extra?.holes ?? []);
  let given = 0;
  let end = 0;
  for await (const bytes of stored) {
    const parts: { readonly offset: number; readonly part: Uint8Array }[] = [];
    scatter(runs, given, bytes, (offset, part) => parts.push({ offset, part }));
    given += bytes.byteLength;
    for (const { offset, part } of parts) {
      yield* zeros(offset - end);
      yield part;
      end = offset + part.byteLength;
    }
  }
  yield* zeros(size - end);
}

function* zeros(count: number): Generator<Uint8Array, void, void> {
  for (let left = count; left > 0; left -= ZEROS.byteLength) yield ZEROS.subarray(0, left);
}
