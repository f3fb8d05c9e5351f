// Flags and other settings of every command, in addition to its own. The framework has some (settings.ts), each feature adds its own
// (feature.ts).
import type { Flags } from './flag.js';

/** A section of the config file that all commands share. */
export interface Section {
  /** Settings other than flags. */
  readonly settings?: Flags;
  /** Keys of the flags that the section sets for every command that has them. */
  readonly flags?: readonly string[];
  /** True if it names programs to run: it is then refused in a file of the current folder. */
  readonly isOwnOnly?: boolean;
}

export interface Globals {
  readonly flags: Flags;
  /** For each of these flags those that it adds details to; without any of them it is refused. */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  /** Sections by name. */
  readonly sections: Readonly<Record<string, Section>>;
  /** Flags that no config file may set. */
  readonly notInFile: readonly string[];
  /** Settings of every recorded command, whether it has the flag or not. */
  readonly recorded: Flags;
}

/** Merges them in this order. */
export const mergedGlobals = (all: readonly Partial<Globals>[]): Globals => ({
  flags: merged(all.map(({ flags }) => flags)),
  needs: merged(all.map(({ needs }) => needs)),
  sections: mergedSections(all),
  notInFile: all.flatMap(({ notInFile = [] }) => notInFile),
  recorded: merged(all.map(({ recorded }) => recorded)),
});

const merged = <T>(records: readonly (Readonly<Record<string, T>> | undefined)[]): Readonly<Record<string, T>> =>
  Object.fromEntries(records.flatMap((record = {}) => Object.entries(record)));

/** Merges sections of the same name. */
function mergedSections(all: readonly Partial<Globals>[]): Globals['sections'] {
  const found: Record<string, Section> = {};
  for (const [name, { settings, flags = [], isOwnOnly = false }] of all.flatMap(({ sections = {} }) =>
    Object.entries(sections),
  )) {
    const before = found[name];
    found[name] = {
      settings: { ...before?.settings, ...settings },
      flags: [...(before?.flags ?? []), ...flags],
      isOwnOnly: isOwnOnly || before?.isOwnOnly === true,
    };
  }
  return found;
}

/** The settings in all sections, without flags. */
export const settingsIn = ({ sections }: Pick<Globals, 'sections'>): Flags =>
  merged(Object.values(sections).map(({ settings }) => settings));

/** The keys of each section. */
export const keysOfSections = ({ sections }: Pick<Globals, 'sections'>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(sections).map(([name, { settings = {}, flags = [] }]) => [
      name,
      [...Object.keys(settings), ...flags],
    ]),
  );
