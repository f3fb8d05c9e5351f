import type { Command } from '../../src/cli/command.js';
import type { Group } from '../../src/cli/declaration.js';
import { programOf, type Root } from '../../src/cli/feature.js';
import { FEATURES } from '../../src/features.js';

/** A program of these commands alone, with all that features do for them. */
export const treeOf = (commands: readonly Command[], groups: readonly Group[], summary: string): Root =>
  programOf(
    commands,
    FEATURES.map((feature) => ({ ...feature, groups: [] })),
    { summary, groups },
  );
