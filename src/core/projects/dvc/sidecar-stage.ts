// Reads a `.dvc` file: data that `dvc add` or `dvc import` tracks, as a stage without a command.
import { posix } from 'node:path';
import { readPaths } from './dvc-lock.js';
import { placed, placedPath } from './read-stage.js';
import type { Stage } from './stage-types.js';
import { isMap } from './yaml-value.js';
import { readYamlFile } from './yaml-file.js';

/** Reads the `.dvc` file at `path`, relative to `folder` (absolute); undefined when there is none. @throws io, integrity */
export async function readSidecarStage(folder: string, path: string): Promise<Stage | undefined> {
  const file = await readYamlFile(posix.join(folder, path));
  if (file === undefined) return undefined;
  if (!isMap(file.value)) throw file.problem([], 'it is not a map');
  const wdir = file.value.get('wdir') ?? '';
  if (typeof wdir !== 'string') throw file.problem(['wdir'], "'wdir' is not a path");
  const beside = { folder, workFolder: posix.dirname(path) === '.' ? '' : posix.dirname(path) };
  const place = { folder, workFolder: placedPath(beside, wdir) };
  return {
    name: path,
    command: '',
    deps: placed(place, readPaths(file, 'deps', file.value)),
    outs: placed(place, readPaths(file, 'outs', file.value)),
    params: {},
  };
}
