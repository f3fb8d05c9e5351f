// A drill as records of checks: each names at most so many places that it stays small.
import { placesText } from '../../core/dataset/checks/content-place.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import type { DrillResult } from '../../core/mend/drill/drill.js';
import { checkedVersion, type Found } from './record-check.js';

/** Half a MiB in base64. */
const MAX_PLACES = 65_536;

/** The checks of a drill; none where nothing was restored. The last one has the coverage, so that it counts. */
export function drillChecks(record: VersionRecord, result: DrillResult): readonly Found[] {
  const { ok, files, failed, proven, disproven, coverage, chunksRead, cold, coldFiles, uncheckedFiles } = result;
  if (files === 0) return [];
  const problems = failed.map(({ path, reason }) => ({ message: `${path}: ${reason}` }));
  const isAll = files === coverage.ofFiles && coldFiles + uncheckedFiles === 0;
  const found: Found[] = [];
  for (let start = 0; start === 0 || start < proven.length; start += MAX_PLACES)
    found.push({
      place: '',
      datasetId: record.datasetId,
      kind: 'drill',
      ok,
      checked: isAll ? 'content' : 'sample',
      versions: [checkedVersion(record, failed.length, problems)],
      chunks: record.totals.chunks,
      chunksRead,
      chunksCold: cold.reduce((sum, { chunks }) => sum + chunks, 0),
      filesRead: files,
      bytesRead: result.bytes,
      proven: placesText(proven.slice(start, start + MAX_PLACES)),
      disproven: placesText(disproven),
      coverage,
    });
  return found;
}
