import { type RawPath, textFromRaw } from '../../../core/paths/raw-path.js';
import { shellWord } from '../../../core/text/shell-word.js';

/** The command that restores these paths, and thaws them where that is needed. */
export function restoreHint(location: string, paths: readonly RawPath[]): string {
  const texts = paths.map(textFromRaw);
  const what = texts.map((text) => (text === undefined || text === '' ? '--all' : `--file ${shellWord(text)}`));
  return `archiver restore ${shellWord(location)} ./out ${what.includes('--all') ? '--all' : what.join(' ')}`;
}
