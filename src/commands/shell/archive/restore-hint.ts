import { type RawPath, textFromRaw } from '../../../core/paths/raw-path.js';
import { restoreCommand } from '../../kit/restore-command.js';

/** The command that restores these paths; everything where one of them is the whole archive or cannot be typed. */
export function restoreHint(location: string, paths: readonly RawPath[]): string {
  const texts = paths.map((path) => textFromRaw(path) ?? '');
  return restoreCommand({ location, outputDir: './out', files: texts.includes('') ? undefined : texts });
}
