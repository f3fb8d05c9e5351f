// The git commit and the DVC stages that entries of an upload come from. Plain data, so that it can be sent to other threads; the stage of
// a path is looked up when its line is written, and no file costs an object.
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';
import type { Entry } from './manifest-types.js';

export interface Provenance {
  /** Full commit in hex; undefined without `--git-metadata`. */
  readonly commit?: string;
  /** Undefined without `--dvc-auto` and `--dvc-stage`. */
  readonly stages?: Stages;
}

/** Outputs of DVC stages. */
export interface Stages {
  /** Stage by output, '' for a path in an output that belongs to no stage. */
  readonly outs: ReadonlyMap<RawPath, string>;
  /** True when these are all stages: a path in none of the outputs has no stage. Otherwise it keeps its earlier stage. */
  readonly areAll: boolean;
}

/** The stage of the output that is, or contains, this path: the longest output wins. */
export function stageOf(outs: ReadonlyMap<RawPath, string>, path: RawPath): string | undefined {
  let prefix = path;
  for (;;) {
    const stage = outs.get(prefix);
    if (stage !== undefined) return stage === '' ? undefined : stage;
    const slash = prefix.lastIndexOf('/');
    if (slash < 0) return outs.get(TOP);
    prefix = prefix.slice(0, slash);
  }
}

const OWN_PIPELINE = 'dvc.yaml';

/** The name that a stage is recorded by: `train` for `dvc.yaml:train` and `./dvc.yaml:train`. */
export const recordedStage = (typed: string): string => typed.replace(/^(?:\.\/+)+/, '').replace(/^dvc\.yaml:/, '');

/**
 * True for the wanted stage, for an iteration of it when it is a loop (`eval` matches `eval@a`, too), and for each stage of a wanted
 * `sub/dvc.yaml`.
 */
export function isOfStage(stage: string | undefined, wanted: string): boolean {
  if (stage === undefined) return false;
  const name = recordedStage(wanted);
  if (name === OWN_PIPELINE) return !/^[^@]*(?:dvc\.yaml:|\.dvc$)/.test(stage);
  return stage === name || stage.startsWith(`${name}@`) || (isPipeline(name) && stage.startsWith(`${name}:`));
}

const isPipeline = (name: string): boolean => name.endsWith(`/${OWN_PIPELINE}`);

/** The texts that recorded names of a wanted stage are, or begin with; undefined when there are none. */
export function stagePrefixes(
  wanted: string,
): readonly { readonly text: string; readonly isWhole: boolean }[] | undefined {
  const name = recordedStage(wanted);
  if (name === OWN_PIPELINE) return undefined;
  const ends = isPipeline(name) ? ['@', ':'] : ['@'];
  return [{ text: name, isWhole: true }, ...ends.map((end) => ({ text: name + end, isWhole: false }))];
}

/** The stage of a path that belonged to the stage `before`. */
export const stageAfter = ({ outs, areAll }: Stages, path: RawPath, before: string | undefined): string | undefined =>
  stageOf(outs, path) ?? (areAll ? undefined : before);

const NOTHING: Pick<Entry, 'stage' | 'commit'> = {};

/** Stage and commit of the entry of `path`; unknown values stay as they were `before`. */
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

/** `,"stage":…,"commit":…`, as far as they are set. */
export function provenanceText({ stage, commit }: Pick<Entry, 'stage' | 'commit'>): string {
  return (
    (stage === undefined ? '' : `,"stage":${JSON.stringify(stage)}`) +
    (commit === undefined ? '' : `,"commit":"${commit}"`)
  );
}
