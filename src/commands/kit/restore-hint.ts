import { displayPath, type RawPath } from '../../core/platform/paths/raw-path.js';
import { restoreCommand } from './restore-command.js';

/** Returns the command that restores these paths, or everything if one of them is the whole archive. */
export function restoreHint(location: string, paths: readonly RawPath[]): string {
  const texts = paths.map((path) => displayPath(path));
  return restoreCommand({ location, outputDir: './out', files: texts.includes('') ? undefined : texts });
}
