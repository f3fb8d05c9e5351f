// The fields of a stage that both dvc.yaml and dvc.lock have. Paths there are relative to the stage's working folder, and
// here to the folder of dvc.yaml.
import { posix } from 'node:path';

/** Where the paths of a stage begin. */
export interface StagePlace {
  /** Absolute: the folder of dvc.yaml. */
  readonly folder: string;
  /** Relative to it, '' for itself. */
  readonly workFolder: string;
}

const URL = /^[a-z][a-z0-9+.-]*:\/\//i;

/** A path of a stage, relative to the folder of dvc.yaml; what lies elsewhere in another form stays as it is. */
export function placedPath({ folder, workFolder }: StagePlace, path: string): string {
  if (URL.test(path)) return path;
  if (!posix.isAbsolute(path)) return posix.normalize(posix.join(workFolder, path)).replace(/\/+$/, '');
  const inside = posix.relative(folder, path);
  return inside === '..' || inside.startsWith('../') ? path : inside;
}
