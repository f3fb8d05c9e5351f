// The newest version of a dataset, or of every dataset of a store.
import type { Cancellation, Messages } from '../../cli/context.js';
import { findDataset } from '../../core/dataset/records/find-dataset.js';
import { strayTexts } from '../../core/dataset/records/strays.js';
import { listDatasets, readVersions } from '../../core/dataset/records/versions.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { ObjectReader } from '../../core/store/object-store.js';

/** Reads their records. @throws not-found where there is none; integrity for one that cannot be read: it is not passed over */
export async function newestRecords(
  reader: ObjectReader,
  dataset: string | undefined,
  { signal, warn }: Cancellation & Pick<Messages, 'warn'>,
): Promise<readonly VersionRecord[]> {
  const newest = [];
  if (dataset !== undefined) newest.push(...(await findDataset(reader, dataset, { warn, signal })).versions.slice(-1));
  else {
    const { versions, strays } = await listDatasets(reader, signal);
    for (const text of strayTexts(strays)) warn(text);
    for (const listed of versions.values()) newest.push(...listed.slice(-1));
  }
  const records: VersionRecord[] = [];
  for (const read of await readVersions(reader, newest, signal)) {
    if ('problem' in read) throw read.problem;
    records.push(read.record);
  }
  if (records.length > 0) return records;
  throw new ArchiverError('not-found', `there are no datasets under ${printable(reader.url)}`);
}
