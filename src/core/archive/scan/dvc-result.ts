// What an upload says of DVC in its result.
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import { stageOf, type Stages } from '../../format/manifest/provenance.js';
import type { DvcAmount, DvcFindings } from './dvc-folders.js';

/** What became of what DVC keeps in a source; paths as they are displayed. */
export interface DvcContents extends Pick<DvcFindings, 'linkedFiles' | 'cacheLeftOut' | 'cacheKept'> {
  readonly temporaryLeftOut: readonly string[];
  readonly localConfigs: readonly string[];
  /** Links that lead out of the source: those of outputs where outputs are known, and otherwise all in repositories. */
  readonly outsideLinks: readonly string[];
}

/** Returns what a result says; undefined if the source has nothing of DVC. `stages`: where they are recorded. */
export function dvcContentsOf(
  { temporary, localConfigs, outsideLinks, ...amounts }: DvcFindings,
  stages: Stages | undefined,
): DvcContents | undefined {
  const isOut = (path: RawPath): boolean => stages?.areAll !== true || stageOf(stages.outs, path) !== undefined;
  const outside = outsideLinks.filter(isOut);
  const { linkedFiles, cacheLeftOut, cacheKept } = amounts;
  const isNothing = [linkedFiles, cacheLeftOut, cacheKept].every(({ files }: DvcAmount) => files === 0);
  if (isNothing && temporary.length + localConfigs.length + outside.length === 0) return undefined;
  return {
    ...amounts,
    temporaryLeftOut: temporary.map(displayPath),
    localConfigs: localConfigs.map(displayPath),
    outsideLinks: outside.map(displayPath),
  };
}
