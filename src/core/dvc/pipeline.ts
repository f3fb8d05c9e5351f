// The DVC pipeline of a folder: the stages of its dvc.yaml, and what dvc.lock says of those that have been run. dvc.lock is
// the truth where it has a stage; the others are worked out from dvc.yaml and its templates. Only the dvc.yaml of the
// folder itself is read, not those of folders below it; nothing is run.
import { join, resolve } from 'node:path';
import { stageOf } from '../manifest/provenance.js';
import { type RawPath, rawFromText } from '../paths/raw-path.js';
import { readDvcLock } from './dvc-lock.js';
import { expandStage } from './expand-stages.js';
import { resolveStage } from './resolve-stage.js';
import type { Stage } from './stage-types.js';
import { loadScope } from './template-scope.js';
import { Budget, TemplateError } from './template.js';
import { isMap, type Value } from './yaml-value.js';
import { readYamlFile, type YamlFile } from './yaml-file.js';

export type { Stage, StagePath } from './stage-types.js';

export interface Pipeline {
  readonly stages: readonly Stage[];
  /** The stage of each output, by its path relative to the folder. */
  readonly outs: ReadonlyMap<RawPath, string>;
  /** Hex MD5 of dvc.lock, where there is one. */
  readonly lockMd5: string | undefined;
  /** The stage whose output this path is, or lies in; the longest output wins. */
  stageOf(path: RawPath): string | undefined;
}

/** The pipeline of a folder; undefined where it has no dvc.yaml. @throws io, and integrity for a file that is damaged */
export async function readPipeline(folder: string): Promise<Pipeline | undefined> {
  const file = await readYamlFile(join(folder, 'dvc.yaml'));
  if (file === undefined) return undefined;
  const lock = await readDvcLock(join(folder, 'dvc.lock'));
  const root = file.value ?? new Map<string, Value>();
  if (!isMap(root)) throw file.problem([], 'it is not a map');
  const definitions = root.get('stages') ?? new Map<string, Value>();
  if (!isMap(definitions)) throw file.problem(['stages'], "'stages' is not a map");
  const scope = await placing(file, ['vars'], () => loadScope(folder, root.get('vars'), new Budget()));
  const stages: Stage[] = [];
  for (const [group, definition] of definitions) {
    const keys = ['stages', group];
    for (const item of await placing(file, keys, () => expandStage(group, definition, scope)))
      stages.push(await placing(file, keys, () => resolveStage(item, resolve(folder), lock?.stages.get(item.name))));
  }
  const outs = outsOf(stages);
  return { stages, outs, lockMd5: lock?.md5, stageOf: (path) => stageOf(outs, path) };
}

/** Runs `work`; a template that cannot be resolved is told with its file and line. */
async function placing<T>(file: YamlFile, keys: readonly string[], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw file.problem(keys, keys[0] === 'stages' ? `stage '${keys[1] ?? ''}': ${error.message}` : error.message);
  }
}

/** Where two stages claim one output, which DVC does not allow, the first has it. */
function outsOf(stages: readonly Stage[]): ReadonlyMap<RawPath, string> {
  const outs = new Map<RawPath, string>();
  for (const { name, outs: own } of stages) {
    for (const { path } of own) {
      const raw = path === '.' ? '' : rawFromText(path);
      if (!outs.has(raw)) outs.set(raw, name);
    }
  }
  return outs;
}
