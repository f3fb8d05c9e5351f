// Checks `archival_rules`, which other programs' agents use when they do not sync.
import type { Section } from './section.js';

const EVERYTHING = /^\/?\*{1,2}(?:\/\*{1,2})*$/;

/** True for `*`, `**` and the like. */
export const matchesEverything = (pattern: string): boolean => EVERYTHING.test(pattern);

/** Warns that rules have no effect, and names those that ask to delete. */
export function checkRules(root: Section): void {
  if (!root.has('archival_rules')) return;
  root.warn('archival_rules', 'is ignored: agents sync, and watch_paths alone says what they archive');
  for (const rule of root.sections('archival_rules')) {
    if (rule.flag('delete_after_archive') !== true) continue;
    const patterns = ['path_pattern', 'file_pattern'].flatMap((key) => rule.text(key) ?? []);
    const isBroad = patterns.every(matchesEverything);
    const asked = isBroad ? ', though it asks for every file: name what may go in file_pattern' : '';
    rule.warn('delete_after_archive', `does nothing: agents never delete${asked}`);
  }
}
