// Reads the DVC pipeline of a folder: the stages of its dvc.yaml, and dvc.lock for those that have run. dvc.lock takes precedence where it
// has a stage; other stages are known only if they have no templates. Only the dvc.yaml of the folder itself is read, not those of
// subfolders; nothing is run.
import { join, resolve } from 'node:path';
import { stageOf } from '../../format/manifest/provenance.js';
import { type RawPath, rawFromText, TOP } from '../../platform/paths/raw-path.js';
import { readDvcLock } from './dvc-lock.js';
import { readStages, StageError } from './read-stage.js';
import type { Stage } from './stage-types.js';
import { isMap, type Value } from './yaml-value.js';
import { readYamlFile, type YamlFile } from './yaml-file.js';

export interface Pipeline {
  readonly stages: readonly Stage[];
  /** Stages with loops or templates that are not in dvc.lock, by their names in dvc.yaml. */
  readonly notRun: readonly string[];
  /** The stage of each output, by its path relative to the folder. */
  readonly outs: ReadonlyMap<RawPath, string>;
  /** MD5 of dvc.lock in hex, if there is one. */
  readonly lockMd5: string | undefined;
  /** Returns the stage with this output, or an output above it; the longest output wins. */
  stageOf(path: RawPath): string | undefined;
}

/** Reads the pipeline of a folder; undefined when it has no dvc.yaml. @throws io, and integrity for a damaged file */
export async function readPipeline(folder: string): Promise<Pipeline | undefined> {
  const file = await readYamlFile(join(folder, 'dvc.yaml'));
  if (file === undefined) return undefined;
  const lock = await readDvcLock(join(folder, 'dvc.lock'));
  const root = file.value ?? new Map<string, Value>();
  if (!isMap(root)) throw file.problem([], 'it is not a map');
  const definitions = root.get('stages') ?? new Map<string, Value>();
  if (!isMap(definitions)) throw file.problem(['stages'], "'stages' is not a map");
  const stages: Stage[] = [];
  const notRun: string[] = [];
  for (const [name, definition] of definitions) {
    const found = placing(file, name, () => readStages(name, definition, resolve(folder), lock));
    if (found.length === 0) notRun.push(name);
    stages.push(...found);
  }
  const outs = outsOf(stages);
  return { stages, notRun, outs, lockMd5: lock?.md5, stageOf: (path) => stageOf(outs, path) };
}

/** Runs `work`, adding file and line to errors of a stage. */
function placing<T>(file: YamlFile, stage: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    throw file.problem(['stages', stage], `stage '${stage}': ${error.message}`);
  }
}

/** Maps outputs to stages. Where two stages claim one output, which DVC does not allow, the first has it. */
function outsOf(stages: readonly Stage[]): ReadonlyMap<RawPath, string> {
  const outs = new Map<RawPath, string>();
  for (const { name, outs: own } of stages) {
    for (const { path } of own) {
      const raw = path === '.' ? TOP : rawFromText(path);
      if (!outs.has(raw)) outs.set(raw, name);
    }
  }
  return outs;
}
