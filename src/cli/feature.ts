// The registration of a feature: all that the program knows of it besides its commands, in the list of src/features.ts. Without its line
// there, the program lacks its commands, flags and settings, and does everything else.
import type { Command } from './command.js';
import type { Context } from './context.js';
import type { Group } from './declaration.js';
import type { Flags } from './flag.js';
import { type Globals, mergedGlobals } from './globals.js';
import { FRAMEWORK } from './settings.js';
import type { Slots } from './slots.js';
import { buildTree, type Node } from './tree.js';

export interface Feature extends Slots<Context> {
  /** Name, by which flags refer to the feature. */
  readonly name: string;
  readonly groups?: readonly Group[];
  /** Flags and settings that it adds to every command. */
  readonly globals?: Partial<Globals>;
}

/** The program without its commands and features. */
export interface Base {
  readonly summary: string;
  readonly groups: readonly Group[];
}

/** The root of a program. */
export interface Root extends Node<Command> {
  readonly features: readonly Feature[];
  /** Where this tree has the commands of one first word alone: makes that of all. */
  readonly whole?: () => Promise<Root>;
}

/** A tree, without features or with them, that may be a part. */
export type Called = Node<Command> & Partial<Pick<Root, 'features' | 'whole'>>;

/** Builds the tree of these commands. Flags for features that the program does not have are left out, with their rules. */
export function programOf(commands: readonly Command[], features: readonly Feature[], base: Base): Root {
  const names = new Set(features.map(({ name }) => name));
  const groups = [...base.groups, ...features.flatMap((feature) => feature.groups ?? [])];
  const globals = mergedGlobals([FRAMEWORK, ...features.map((feature) => feature.globals ?? {})]);
  const tree = buildTree(
    commands.map((command) => withoutMissing(command, names)),
    groups,
    base.summary,
    globals,
  );
  return { ...tree, features };
}

function withoutMissing(command: Command, names: ReadonlySet<string>): Command {
  const { flags = {}, rules = [] } = command;
  const missing = new Set(Object.keys(flags).filter((key) => isMissing(flags[key]?.feature, names)));
  if (missing.size === 0) return command;
  const left: Flags = Object.fromEntries(Object.entries(flags).filter(([key]) => !missing.has(key)));
  const isLeft = (keys: readonly string[]): boolean => !keys.some((key) => missing.has(key));
  return { ...command, flags: left, rules: rules.filter((rule) => rule.kind !== 'flags' || isLeft(rule.keys)) };
}

const isMissing = (feature: string | undefined, names: ReadonlySet<string>): boolean =>
  feature !== undefined && !names.has(feature);
