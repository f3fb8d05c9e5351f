// Where the entries of an upload come from: the git commit and the DVC stage that its lines name. Plain data, so that it
// crosses to other threads; the stage of a path is looked up when its line is written, and no file costs an object.
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';
import type { Entry } from './manifest-types.js';

export interface Provenance {
  /** Full hex; undefined without `--git-metadata`. */
  readonly commit?: string;
  /** Undefined without `--dvc-auto` and `--dvc-stage`. */
  readonly stages?: Stages;
}

/** Which stage makes what. */
export interface Stages {
  /** Stage by output. */
  readonly outs: ReadonlyMap<RawPath, string>;
  /** These are all: what no output holds belongs to no stage. Else it keeps the stage that it had. */
  readonly areAll: boolean;
}

/** The stage of the output that is, or holds, this path: the longest one wins. */
export function stageOf(outs: ReadonlyMap<RawPath, string>, path: RawPath): string | undefined {
  let prefix = path;
  for (;;) {
    const stage = outs.get(prefix);
    if (stage !== undefined) return stage;
    const slash = prefix.lastIndexOf('/');
    if (slash < 0) return outs.get(TOP);
    prefix = prefix.slice(0, slash);
  }
}

/** True for the stage that is wanted, and for one of its rounds where that is a loop: `eval` means `eval@a`, too. */
export const isOfStage = (stage: string | undefined, wanted: string): boolean =>
  stage !== undefined && (stage === wanted || stage.startsWith(`${wanted}@`));

/** The stage of a path that belonged to the stage `before`. */
export const stageAfter = ({ outs, areAll }: Stages, path: RawPath, before: string | undefined): string | undefined =>
  stageOf(outs, path) ?? (areAll ? undefined : before);

const NOTHING: Pick<Entry, 'stage' | 'commit'> = {};

/** What the entry of `path` says of itself; where that is not known, it keeps what it said `before`. */
export function provenanceOf(
  provenance: Provenance | undefined,
  path: RawPath,
  before = NOTHING,
): Pick<Entry, 'stage' | 'commit'> {
  if (provenance === undefined) return before;
  const { stages } = provenance;
  const stage = stages === undefined ? before.stage : stageAfter(stages, path, before.stage);
  const commit = provenance.commit ?? before.commit;
  return { ...(stage === undefined ? {} : { stage }), ...(commit === undefined ? {} : { commit }) };
}

/** `,"stage":…,"commit":…`, whichever there are. */
export function provenanceText({ stage, commit }: Pick<Entry, 'stage' | 'commit'>): string {
  return (
    (stage === undefined ? '' : `,"stage":${JSON.stringify(stage)}`) +
    (commit === undefined ? '' : `,"commit":"${commit}"`)
  );
}
