// Names versions of a dataset: `v12`. On a store that does not create a key only once, two writers may make version 12 at the same time
// (docs/decisions/060-plain-stores.md): both are whole, the second is `v12.b`, the third `v12.c`.

export interface VersionName {
  /** Its ordinal. */
  readonly version: number;
  /** For versions that share an ordinal, `b` for the second in their order; undefined for the first, and for a single one. */
  readonly fork?: string | undefined;
}

const LETTERS = 26;
const A = 97;

/** Letters for the version at this position, from 0, among those that share its ordinal: undefined, `b`, … `z`, `aa`, … */
export function forkSuffix(position: number): string | undefined {
  if (position === 0) return undefined;
  let letters = '';
  for (let rest = position + 1; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    letters = String.fromCharCode(A + ((rest - 1) % LETTERS)) + letters;
  return letters;
}

/** Number of a version, such as `12` or `12.b`. */
export const versionNumber = ({ version, fork }: VersionName): string =>
  fork === undefined ? String(version) : `${version}.${fork}`;

/** Name of a version, such as `v12` or `v12.b`. */
export const versionName = (name: VersionName): string => `v${versionNumber(name)}`;

/** Sorts older versions first. */
export function compareVersions(a: VersionName, b: VersionName): number {
  const [ours, theirs] = [a.fork ?? '', b.fork ?? ''];
  if (a.version !== b.version) return a.version - b.version;
  return ours.length - theirs.length || (ours < theirs ? -1 : Number(ours > theirs));
}

export const isSameVersion = (a: VersionName, b: VersionName): boolean => a.version === b.version && a.fork === b.fork;
