// Reads what DVC tracks in a folder: the stages of each dvc.yaml in it, with dvc.lock for those that have run, and its `.dvc` files.
// dvc.lock takes precedence where it has a stage; other stages are known only if they have no templates. Nothing is run.
import { join, posix, resolve } from 'node:path';
import { stageOf } from '../../format/manifest/provenance.js';
import {
  CURRENT_FOLDER,
  displayPath,
  parentOf,
  type RawPath,
  rawFromText,
  textFromRaw,
  TOP,
} from '../../platform/paths/raw-path.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { readSidecarStage } from './sidecar-stage.js';
import { readDvcLock } from './dvc-lock.js';
import { readStages, StageError, type StagePlace, type UnknownStage } from './read-stage.js';
import { eachStageFile, ignoredBelow, ignoredInOuts } from './stage-files.js';
import type { Stage } from './stage-types.js';
import { isMap, type Value } from './yaml-value.js';
import { readYamlFile, type YamlFile } from './yaml-file.js';

export interface Pipeline {
  /** Of each dvc.yaml, those of a folder before those below it. */
  readonly stages: readonly Stage[];
  /** One for each `.dvc` file. */
  readonly dvcFiles: readonly Stage[];
  /** Stages of which the files are not known, by their names in dvc.yaml. */
  readonly unknown: readonly { readonly name: string; readonly why: UnknownStage }[];
  /** Sentences about files below the folder itself that could not be read: their stages are not known. */
  readonly unread: readonly string[];
  /** The stage or `.dvc` file of each output, by its path relative to the folder; '' for what DVC ignores in it. */
  readonly outs: ReadonlyMap<RawPath, string>;
  /** Returns the stage with this output, or an output above it; the longest output wins. */
  stageOf(path: RawPath): string | undefined;
}

/**
 * Reads the pipelines and `.dvc` files of a folder; undefined when it has none. @throws io, and integrity for a damaged dvc.yaml or dvc.lock
 * of the folder itself; cancelled
 */
export async function readPipeline(folder: string, signal: AbortSignal): Promise<Pipeline | undefined> {
  const root = resolve(folder);
  const [stages, dvcFiles]: [Stage[], Stage[]] = [[], []];
  const unknown: { name: string; why: UnknownStage }[] = [];
  const unread: string[] = [];
  let isAny = false;
  const readOne = async (path: RawPath, kind: 'pipeline' | 'sidecar'): Promise<readonly Stage[]> => {
    const text = textFromRaw(path);
    if (text === undefined) {
      unread.push(`${displayPath(path)}: its name is not UTF-8, and DVC files must be`);
      return [];
    }
    isAny = true;
    try {
      if (kind === 'sidecar') return [await readSidecarStage(root, text)].filter((one) => one !== undefined);
      const found = await readDvcYaml(root, text);
      unknown.push(...found.unknown);
      return found.stages;
    } catch (error) {
      // Below the folder there may be templates of projects, or files of other programs: they cost their stages, and not the upload.
      if (!isArchiverError(error) || (kind === 'pipeline' && parentOf(path) === TOP)) throw error;
      unread.push(error.message);
      return [];
    }
  };
  const place = {
    folder: rawFromText(root),
    isIgnored: ignoredBelow(rawFromText(root)),
    signal,
    onUnread: (path: RawPath, reason: string) =>
      unread.push(`${displayPath(path === TOP ? CURRENT_FOLDER : path)}: ${reason}`),
  };
  const hasPatterns = await eachStageFile({
    ...place,
    async read(path, kind) {
      const found = await readOne(path, kind);
      (kind === 'sidecar' ? dvcFiles : stages).push(...found);
      return found.flatMap(({ outs }) => outs.map((out) => rawFromText(out.path)));
    },
  });
  if (!isAny) return undefined;
  const outs = outsOf([...stages, ...dvcFiles]);
  // A `.dvcignore` that lies in an output is rare: without one outside, outputs are not listed for it.
  const ignored = hasPatterns ? await ignoredInOuts([...outs.keys()].filter(isInside), place) : [];
  for (const path of ignored) outs.set(path, '');
  return { stages, dvcFiles, unknown, unread, outs, stageOf: (path) => stageOf(outs, path) };
}

/** Reads a dvc.yaml at `path`, relative to `root`. @throws io, integrity */
async function readDvcYaml(root: string, path: string): Promise<Pick<Pipeline, 'stages' | 'unknown'>> {
  const [stages, unknown]: [Stage[], { name: string; why: UnknownStage }[]] = [[], []];
  const file = await readYamlFile(join(root, path));
  const below = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  const lock = await readDvcLock(join(root, below, 'dvc.lock'));
  const top = file?.value ?? new Map<string, Value>();
  if (file === undefined) return { stages, unknown };
  if (!isMap(top)) throw file.problem([], 'it is not a map');
  const definitions = top.get('stages') ?? new Map<string, Value>();
  if (!isMap(definitions)) throw file.problem(['stages'], "'stages' is not a map");
  const place: StagePlace = { folder: root, workFolder: below };
  const nameOf = (name: string): string => (below === '' ? name : `${path}:${name}`);
  const locked = lock === undefined ? {} : { lockMd5: lock.md5 };
  for (const [name, definition] of definitions) {
    const found = placing(file, name, () => readStages(name, definition, place, lock));
    if (typeof found === 'string') unknown.push({ name: nameOf(name), why: found });
    else stages.push(...found.map((stage) => ({ ...stage, name: nameOf(stage.name), ...locked })));
  }
  return { stages, unknown };
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

/** True for an output in the folder: neither a URL nor a path that leads out of it. */
export const isInside = (path: RawPath): boolean => !/^(?:\/|\.\.(?:\/|$)|[a-z][a-z0-9+.-]*:\/\/)/i.test(path);

/** Maps outputs to stages. Where two stages claim one output, which DVC does not allow, the first has it. */
function outsOf(stages: readonly Stage[]): Map<RawPath, string> {
  const outs = new Map<RawPath, string>();
  for (const { name, outs: own } of stages) {
    for (const { path } of own) {
      const raw = path === '.' ? TOP : rawFromText(path);
      if (!outs.has(raw)) outs.set(raw, name);
    }
  }
  return outs;
}
