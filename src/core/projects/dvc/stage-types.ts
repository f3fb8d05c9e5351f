// A DVC stage as the rest of the program sees it.
import type { DvcPathRecord } from '../../format/manifest/provenance-schema.js';
import type { Json } from './yaml-value.js';

/** A dependency or an output. `path` is relative to the folder of dvc.yaml; URLs and absolute paths stay as they are. */
export type StagePath = DvcPathRecord;

export type StageParams = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface Stage {
  /** As dvc.lock has it: `train@fast` for a round of a loop. */
  readonly name: string;
  readonly command: string;
  readonly deps: readonly StagePath[];
  readonly outs: readonly StagePath[];
  /** By file, then by key; null where the stage has never been run. */
  readonly params: StageParams;
}
