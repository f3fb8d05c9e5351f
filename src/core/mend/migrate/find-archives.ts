// Finds the tar archives below a place by their names, and says what else lies there.
import { ArchiverError } from '../../platform/failures/errors.js';
import { isNameOfPart, type Part } from '../../platform/part.js';
import { displayPath, printable, rawFromText } from '../../platform/paths/raw-path.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { ArchivePlace } from './archive-source.js';

export interface ListedArchive {
  readonly url: string;
  readonly etag: string;
  readonly sizeBytes: number;
}

export interface FoundArchives {
  /** Those of the part, in the order of their names. */
  readonly archives: readonly ListedArchive[];
  /** All archives that were found, those of other parts too. */
  readonly count: number;
  /** What else has a name of the part, the first thousand of it: paths below the place. */
  readonly passedOver: readonly { readonly path: string; readonly reason: string }[];
  readonly passedOverCount: number;
  /** Everything that is no archive, whatever its part. */
  readonly otherCount: number;
}

const TAR = /\.(?:tar(?:\.gz|\.zst)?|tgz|tzst)$/i;
const OTHER_TAR = /\.(?:tar\.\w+|t[bx]z2?|tlz|txz)$/i;
/** The chunks of a store are tar archives, too; a place may hold a store, or lie in one. */
const IN_UPLOAD = new RegExp(`(?:^|/)uploads/${UPLOAD_ID}/`);
const MOST_NAMED = 1000;

/** Lists what lies below the place. @throws what listing throws */
export async function findArchives(
  reader: ObjectReader,
  { storeUrl, prefix }: ArchivePlace,
  part: Part | undefined,
  signal: AbortSignal,
): Promise<FoundArchives> {
  const archives: ListedArchive[] = [];
  const passedOver: { path: string; reason: string }[] = [];
  let [count, otherCount, passedOverCount] = [0, 0, 0];
  for await (const page of reader.list({ prefix, signal })) {
    for (const { key, etag, sizeBytes } of page.objects) {
      const name = key.slice(prefix.length);
      if (name === '' || (name.endsWith('/') && sizeBytes === 0)) continue; // a folder, as consoles create it
      const url = `${storeUrl}/${key}`;
      const reason = reasonFor(url, name);
      if (reason === undefined) count++;
      else otherCount++;
      if (part !== undefined && !isNameOfPart(name, part)) continue;
      if (reason === undefined) archives.push({ url, etag, sizeBytes });
      else if (++passedOverCount <= MOST_NAMED) passedOver.push({ path: displayPath(rawFromText(name)), reason });
    }
  }
  return { archives, count, passedOver, passedOverCount, otherCount };
}

/** Why something is no archive to be migrated; undefined if it is one. */
function reasonFor(url: string, name: string): string | undefined {
  if (IN_UPLOAD.test(url)) return 'it is stored by archiver';
  if (TAR.test(name)) return undefined;
  return OTHER_TAR.test(name)
    ? 'how it is compressed is not read here: tar, tar.gz and tar.zst are'
    : 'its name is not that of a tar archive';
}

/** Refuses a place with no archive in it, which may be mistyped. @throws not-found */
export function refuseNoArchives({ url }: ArchivePlace, { count, otherCount }: FoundArchives): void {
  if (count > 0) return;
  const others = otherCount === 0 ? 'nothing at all' : `only other names (${otherCount})`;
  throw new ArchiverError('not-found', `there is no tar archive below ${printable(url)}: ${others}`, {
    hint: 'names of archives end with .tar, .tar.gz, .tgz, .tar.zst or .tzst',
  });
}
