// The tar member of a piece of a cut file: its name and its records say where it belongs (docs/format.md).
import type { FilePiece } from '../../format/chunk/cut-file.js';
import type { NewMember } from '../../format/tar/write-header.js';
import { type RawPath, rawFromNumber, rawFromText, withEnd } from '../../platform/paths/raw-path.js';

/** Makes the member of a piece; `fileSize` is that of the whole file, undefined while it is not known. */
export function partMember(
  member: NewMember,
  { number, of, offset }: Omit<FilePiece, 'size'>,
  fileSize: number | undefined,
): NewMember {
  const pax = new Map<string, RawPath>([
    ['ARCHIVER.part.path', member.path],
    ['ARCHIVER.part.number', rawFromNumber(number)],
    ['ARCHIVER.part.of', rawFromNumber(of)],
    ['ARCHIVER.part.offset', rawFromNumber(offset)],
    ...(fileSize === undefined ? [] : ([['ARCHIVER.part.size', rawFromNumber(fileSize)]] as const)),
    ...(member.pax ?? []),
  ]);
  const name = withEnd(member.path, rawFromText(`.part-${pad5(number)}-of-${pad5(of)}`));
  return { ...member, path: name, pax };
}

const pad5 = (value: number): string => String(value).padStart(5, '0');
