// A DVC stage as the rest of the program sees it.
import type { DvcPathRecord } from '../../format/manifest/provenance-schema.js';
import type { Json } from './yaml-value.js';

/** A dependency or an output. `path` is relative to the folder that was read; URLs and absolute paths stay as they are. */
export type StagePath = DvcPathRecord;

export type StageParams = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface Stage {
  /**
   * Name as DVC has it in the folder that was read: `train`, `train@fast` for an iteration of a loop, `sub/dvc.yaml:train`, or the path of a
   * `.dvc` file.
   */
  readonly name: string;
  readonly command: string;
  readonly deps: readonly StagePath[];
  readonly outs: readonly StagePath[];
  /** By file, then by key; null when the stage has never run. */
  readonly params: StageParams;
  /** MD5 of its dvc.lock in hex, if there is one. */
  readonly lockMd5?: string;
}
