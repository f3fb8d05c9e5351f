// A tar with pax headers: names as bytes, times to the nanosecond, attributes and access lists as in chunks (docs/format.md), holes as GNU
// sparse 1.0. Owners are numbers.
import { attributeRecords } from '../../format/tar/pax-records.js';
import { sparseMap, sparseMember } from '../../format/tar/sparse-map.js';
import { BLOCK, padded } from '../../format/tar/tar-block.js';
import { headerBytes, type NewMember, paxFor, type TarType, writeHeader } from '../../format/tar/write-header.js';
import { bytesOf, pathBelow, rawFromBytes, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { dataRuns } from '../plan/sparse-map.js';
import type { ArchivedEntry, ArchiveFormat, Bytes, StoredContent } from './archive-format.js';

export class TarFormat implements ArchiveFormat {
  readonly hasHardLinks = true;
  readonly hasFoldersFirst = false;

  problem(): undefined {
    return undefined;
  }

  async *file(entry: ArchivedEntry, stored: StoredContent): Bytes {
    const { holes = [] } = entry.extra ?? {};
    const extents = dataRuns(entry.size, holes).map(({ offset, length }) => [offset, length] as const);
    const dataBytes = extents.reduce((sum, [, length]) => sum + length, 0);
    if (holes.length === 0) yield header(memberOf(entry, '0', entry.size));
    else {
      const map = sparseMap(extents, entry.size);
      const { path, records } = sparseMember(entry.path, entry.size);
      const member = memberOf(entry, '0', map.byteLength + dataBytes);
      yield header({ ...member, path, pax: new Map([...records, ...(member.pax ?? [])]) });
      yield map;
    }
    yield* stored;
    const rest = padded(dataBytes) - dataBytes;
    if (rest > 0) yield Buffer.alloc(rest);
  }

  async *hardLink(entry: ArchivedEntry, target: RawPath): Bytes {
    yield header({ ...memberOf(entry, '1', 0), target });
  }

  async *symlink(entry: ArchivedEntry, target: RawPath): Bytes {
    yield header({ ...memberOf(entry, '2', 0), target });
  }

  async *folder(entry: ArchivedEntry): Bytes {
    yield header({ ...memberOf(entry, '5', 0), path: pathBelow(entry.path, TOP) });
  }

  async *end(): Bytes {
    yield Buffer.alloc(2 * BLOCK);
  }
}

function memberOf({ extra, ...entry }: ArchivedEntry, type: TarType, size: number): NewMember {
  const xattrs = type === '1' ? undefined : extra?.xattrs;
  const values =
    xattrs && new Map(Array.from(xattrs, ([name, value]) => [name, bytesOf(rawFromBytes(Buffer.from(value)))]));
  return { ...entry, type, size, user: TOP, group: TOP, ...(values && { pax: attributeRecords(values) }) };
}

function header(member: NewMember): Buffer {
  const pax = paxFor(member);
  const bytes = Buffer.alloc(headerBytes(pax));
  writeHeader(bytes, 0, member, pax);
  return bytes;
}
