// What an upload says of DVC in its result.
import { displayPath } from '../../platform/paths/raw-path.js';
import type { DvcAmount, DvcFindings } from './dvc-folders.js';

/** What became of what DVC keeps in a source; paths as they are displayed. */
export interface DvcContents extends Pick<DvcFindings, 'linkedFiles' | 'cacheLeftOut' | 'cacheKept'> {
  readonly temporaryLeftOut: readonly string[];
  readonly localConfigs: readonly string[];
}

/** Returns what a result says; undefined if the source has nothing of DVC. */
export function dvcContentsOf({ temporary, localConfigs, ...amounts }: DvcFindings): DvcContents | undefined {
  const { linkedFiles, cacheLeftOut, cacheKept } = amounts;
  const isNothing = [linkedFiles, cacheLeftOut, cacheKept].every(({ files }: DvcAmount) => files === 0);
  if (isNothing && temporary.length + localConfigs.length === 0) return undefined;
  return { ...amounts, temporaryLeftOut: temporary.map(displayPath), localConfigs: localConfigs.map(displayPath) };
}
