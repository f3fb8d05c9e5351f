// A drill as records of checks: each names at most so many places that it stays small.
import { placesText } from '../../core/dataset/checks/content-place.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import type { DrillResult } from '../../core/mend/drill/drill.js';
import { checkedVersion, type Found } from './record-check.js';

/** Half a MiB in base64. */
const MAX_PLACES = 65_536;

/** The checks of a drill that has restored something. Of one that failed each has places that came back wrong: it is over when they are right. */
export function drillChecks(record: VersionRecord, result: DrillResult): readonly Found[] {
  const { ok, files, failed, proven, disproven, coverage, chunksRead, cold, coldFiles, uncheckedFiles } = result;
  const problems = failed.map(({ path, reason }) => ({ path, message: reason }));
  const isAll = files === coverage.ofFiles && coldFiles + uncheckedFiles === 0;
  const found: Found[] = [];
  for (let start = 0; start < Math.max(1, proven.length, disproven.length); start += MAX_PLACES) {
    const some = (places: readonly number[]): readonly number[] => places.slice(start, start + MAX_PLACES);
    const wrong = some(disproven).length > 0 ? some(disproven) : disproven.slice(0, MAX_PLACES);
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
      proven: placesText(some(proven)),
      disproven: placesText(wrong),
      coverage,
    });
  }
  return found;
}
