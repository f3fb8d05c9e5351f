// A scan that shows in every row what an earlier one has shown, of which nothing differed from the version: then nothing does now, and the
// version need not be read to find out. Everything that compare.ts looks at is in the digest; what it is to do with it is asked here.
import { createHash } from 'node:crypto';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import type { CachedScan } from '../../dataset/cache/scan-cache.js';
import type { View } from '../../dataset/chain/view.js';
import type { UploadRun } from './upload-run.js';

/** What the rows of a scan say by themselves. */
const COLUMNS = [
  'kind',
  'mode',
  'uid',
  'gid',
  'size',
  'mtimeSeconds',
  'mtimeNanos',
  'ctimeSeconds',
  'ctimeNanos',
  'group',
  'pathEnd',
] as const;

type RememberInput = ScanInput & Pick<UploadRun, 'store' | 'datasetId' | 'dataset' | 'remembered'>;
type ScanInput = Pick<UploadRun, 'scanned' | 'ledger' | 'objects'>;

/** SHA-256 in hex of what a comparison looks at in a scan; undefined where it looks at more than rows. */
export function scanDigest({ scanned, ledger, objects }: ScanInput): string | undefined {
  const { skipped, young, shares = [], last } = scanned;
  const isUnread = skipped.some(({ special }) => !special) || young.length > 0;
  if (isUnread || shares.length > 0 || last !== undefined || objects !== undefined) return undefined;
  const { table } = ledger;
  const { count, columns } = table;
  const hash = createHash('sha256');
  for (const name of COLUMNS) {
    const { buffer, BYTES_PER_ELEMENT } = columns[name];
    hash.update(new Uint8Array(buffer, 0, count * BYTES_PER_ELEMENT));
  }
  hash.update(table.paths.subarray(0, columns.pathEnd[count - 1] ?? 0));
  hash.update(JSON.stringify(linksOf(table)), 'latin1');
  return hash.digest('hex');
}

/** Where symbolic links lead, and the rows that other names of a file have. */
function linksOf({ count, columns: { kind, link }, targets }: EntryTable): readonly (string | number)[] {
  const links: (string | number)[] = [];
  for (let index = 0; index < count; index++) {
    const to = link[index] ?? 0;
    if (kind[index] === KIND.symlink) links.push(targets[to] ?? '');
    else if (kind[index] === KIND.hardlink) links.push(to);
  }
  return links;
}

/**
 * Says of a scan as an earlier comparison with the version has seen it how many paths the version has that it has not, which is all that
 * they differ in; false of any other scan, undefined where no comparison is remembered or more is to be compared than scans.
 */
export async function sameAsBefore(
  run: UploadRun,
  { chain }: Pick<View, 'chain'>,
): Promise<Pick<CachedScan, 'gone'> | false | undefined> {
  const { store, datasetId, remembered, labels, resume } = run;
  const { trackDeletes = false, isForced = false } = run.dataset.changes ?? {};
  const before = await remembered.scans?.get(store.url, datasetId);
  if (before === undefined || before.manifestSha256 !== chain[0]?.sha256) return undefined;
  const isMore = isForced || resume.saved !== undefined || labels.provenance?.ofEntries.stages !== undefined;
  if (isMore || (trackDeletes && before.gone > 0)) return undefined;
  return scanDigest(run) === before.scanSha256 && before;
}

/**
 * Remembers that nothing of the scan differs from the version of this manifest, which has so many paths that the scan has not. Rows that are in
 * it as they were before, or otherwise than they were scanned, are compared again.
 */
export async function rememberScan(run: RememberInput, manifestSha256: string, gone: number): Promise<void> {
  const { store, datasetId, remembered, ledger, dataset } = run;
  // Rows count as the same with other ctimes then, which a later sync goes by.
  const isLoose = dataset.changes?.ignoreCtime === true;
  const scanSha256 = !isLoose && isAsListed(ledger) ? scanDigest(run) : undefined;
  if (scanSha256 !== undefined) await remembered.scans?.put(store.url, datasetId, { manifestSha256, scanSha256, gone });
}

/** Whether the version says of each row what the row says. */
function isAsListed({ table: { count, columns }, extras }: UploadRun['ledger']): boolean {
  for (let index = 0; index < count; index++) {
    const status = columns.status[index];
    const isListed = status === STATUS.same || status === STATUS.stored || status === STATUS.kept;
    if (!isListed && columns.kind[index] !== KIND.dropped) return false;
  }
  return [...extras.values()].every(({ before }) => before?.ctime === undefined);
}
