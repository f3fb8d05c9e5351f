// What every command has beside its own: flags, and settings that are no flags. The framework has some (settings.ts), each
// feature adds its own (feature.ts).
import type { Flags } from './flag.js';

/** A section of the config file that all commands share. */
export interface Section {
  /** Settings that are no flags. */
  readonly settings?: Flags;
  /** Flags that it sets for every command that has them, by their keys. */
  readonly flags?: readonly string[];
  /** What it says is run here: it is not taken from a file of the current folder. */
  readonly isOwnOnly?: boolean;
}

export interface Globals {
  readonly flags: Flags;
  /** Which flags each of these says more about; without all of them it is refused. */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  /** By their names. */
  readonly sections: Readonly<Record<string, Section>>;
  /** Flags that no file sets. */
  readonly notInFile: readonly string[];
  /** Settings of every command that is recorded, whether it has the flag or not. */
  readonly recorded: Flags;
}

/** All of them as one, the first ones first. */
export const mergedGlobals = (all: readonly Partial<Globals>[]): Globals => ({
  flags: merged(all.map(({ flags }) => flags)),
  needs: merged(all.map(({ needs }) => needs)),
  sections: mergedSections(all),
  notInFile: all.flatMap(({ notInFile = [] }) => notInFile),
  recorded: merged(all.map(({ recorded }) => recorded)),
});

const merged = <T>(records: readonly (Readonly<Record<string, T>> | undefined)[]): Readonly<Record<string, T>> =>
  Object.fromEntries(records.flatMap((record = {}) => Object.entries(record)));

/** A section that several have holds what each has in it. */
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

/** The settings of all sections that are no flags. */
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
