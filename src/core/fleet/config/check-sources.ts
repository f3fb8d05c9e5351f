// Checks the folders of a config: `watch_paths`.
import { posix } from 'node:path';
import { createFilter } from '../../archive/scan/filter.js';
import { NO_FILTER } from '../../archive/scan/filter-options.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { rawFromText } from '../../platform/paths/raw-path.js';
import { matchesEverything } from './check-rules.js';
import { checkClass } from './check-store.js';
import { type FleetSource, SOURCE_DEFAULTS } from './fleet-config.js';
import { type Problems, quoted } from './problems.js';
import type { PlacedText, Section } from './section.js';

const KEYS = [
  'path',
  'include_patterns',
  'exclude_patterns',
  'recursive',
  'min_age',
  'storage_class',
  'may_move',
  'may_shrink',
  'max_changed_percent',
  'delete_after_archive',
] as const;

/** Limit of folders: a heartbeat names each, and has to stay below 1 MiB. */
const MAX_SOURCES = 1000;

interface Around {
  readonly problems: Problems;
  /** The store's URL, if the config has it. */
  readonly storeUrl: string | undefined;
}

interface Checked {
  readonly source: FleetSource;
  readonly section: Section;
}

export function checkSources(root: Section, around: Around): readonly FleetSource[] {
  const { problems } = around;
  const sections = root.sections('watch_paths');
  if (sections.length === 0) root.error('watch_paths', 'must name a folder at least');
  if (sections.length > MAX_SOURCES) {
    root.error('watch_paths', `names ${sections.length} folders, and ${MAX_SOURCES} are allowed`);
    return [];
  }
  const checked = sections.flatMap((section) => {
    const source = checkSource(section, around);
    return source === undefined ? [] : [{ source, section }];
  });
  checkTwins(checked);
  if (problems.errors.length === 0) warnOfOverlaps(checked);
  return checked.map(({ source }) => source);
}

function checkSource(section: Section, { problems, storeUrl }: Around): FleetSource | undefined {
  section.checkKeys({ known: KEYS });
  const path = checkPath(section);
  const include = checkPatterns(section.texts('include_patterns'), problems);
  const exclude = checkPatterns(section.texts('exclude_patterns'), problems);
  const recursive = section.flag('recursive') ?? true;
  const minAgeMs = section.duration('min_age') ?? 0;
  const storageClass = checkClass(section, storeUrl);
  const deleteAfterArchive = section.flag('delete_after_archive') ?? false;
  const mayMove = section.flag('may_move') ?? SOURCE_DEFAULTS.mayMove;
  const mayShrink = section.flag('may_shrink') ?? SOURCE_DEFAULTS.mayShrink;
  const maxChangedPercent = section.count('max_changed_percent') ?? SOURCE_DEFAULTS.maxChangedPercent;
  if (maxChangedPercent > 100) section.error('max_changed_percent', 'must be from 1 to 100');
  if (path === undefined) return undefined;
  if (deleteAfterArchive) {
    const isBroad = include.length === 0 || include.some(matchesEverything);
    const asked = isBroad ? ', though it asks for every file: name what may go in include_patterns' : '';
    section.warn('delete_after_archive', `does nothing: agents never delete, ${path} stays as it is${asked}`);
  }
  const allowed = { mayMove, mayShrink, maxChangedPercent };
  return { path, storageClass, include, exclude, recursive, minAgeMs, ...allowed, deleteAfterArchive };
}

function checkPath(section: Section): string | undefined {
  if (!section.has('path')) section.error('path', 'is missing');
  const path = section.text('path');
  if (path === undefined) return undefined;
  const refuse = (why: string): undefined => section.error('path', `${why}: ${quoted(path)}`);
  if (path.includes('\0')) return refuse('holds a zero byte');
  if (path.startsWith('~')) return refuse('must be absolute, and ~ is not expanded');
  if (!path.startsWith('/')) return refuse('must be absolute');
  if (path.split('/').some((part) => part === '.' || part === '..')) return refuse("must not hold '.' or '..'");
  const plain = posix.normalize(path);
  if (plain === '/') section.warn('path', 'is the whole file system, with /proc, /sys and what is mounted');
  return plain === '/' ? plain : plain.replace(/\/$/, '');
}

function checkPatterns(patterns: readonly PlacedText[], problems: Problems): readonly string[] {
  return patterns.flatMap(({ text, place }) => {
    const why = patternProblem(text);
    if (why === undefined) return [text];
    problems.error(place, `the pattern ${quoted(text)} ${why}`);
    return [];
  });
}

function patternProblem(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'is empty';
  if (pattern.startsWith('#')) return 'is a comment: write \\# for a name that begins with #';
  if (/[\r\n\0]/.test(pattern)) return 'has a line break or a zero byte, which matches nothing';
  try {
    createFilter({ ...NO_FILTER, exclude: [pattern] });
    return undefined;
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    return 'cannot be used';
  }
}

/** Refuses duplicates: the same folder twice would be two writers of one dataset. */
function checkTwins(checked: readonly Checked[]): void {
  const seen = new Set<string>();
  for (const { source, section } of checked) {
    if (seen.has(source.path)) section.error('path', `stands there twice: ${quoted(source.path)}`);
    seen.add(source.path);
  }
}

function warnOfOverlaps(checked: readonly Checked[]): void {
  const outer = checked
    .filter(({ source }) => source.recursive)
    .map(({ source }) => ({ path: source.path, filter: createFilter({ ...NO_FILTER, ...filterOf(source) }) }));
  for (const { source, section } of checked) {
    const around = outer.find(({ path, filter }) => {
      const below = pathBelow(path, source.path);
      return below !== undefined && isEntered(filter, below);
    });
    if (around !== undefined)
      section.warn('path', `lies in ${quoted(around.path)}, so that its files are archived twice: exclude it there`);
  }
}

const filterOf = ({ include, exclude }: FleetSource): Pick<FleetSource, 'include' | 'exclude'> => ({
  include,
  exclude,
});

/** Returns the path of `inner` relative to `outer`; undefined when it is not below. */
export function pathBelow(outer: string, inner: string): string | undefined {
  const start = outer === '/' ? outer : `${outer}/`;
  return inner !== outer && inner.startsWith(start) ? inner.slice(start.length) : undefined;
}

/** True when a scan would enter this folder. */
function isEntered(filter: ReturnType<typeof createFilter>, folder: string): boolean {
  const parts = folder.split('/');
  return parts.every((_, index) => filter.judge(rawFromText(parts.slice(0, index + 1).join('/')), true) !== 'leave');
}
