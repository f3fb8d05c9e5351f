// What a text screenshot is made of. A screen has a world (a store, a home) and scenes: what is typed, and what must be on
// the screen before the shot is taken.
import { fileURLToPath } from 'node:url';
import type { TerminalSession } from '../support/terminal-session.js';

/** Keys to type, or a text to wait for: `['type', 'j']`, `['see', 'README.md']`. */
export type Step = readonly ['type', string] | readonly ['see', string | RegExp];

export interface Scene {
  /** `tree` of the screen `browse` goes to `browse-tree-80x24.txt` and so on. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** More arguments for the command. */
  readonly args?: readonly string[];
}

export interface World {
  /** The command with its arguments. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
  /** Puts the world in order for a scene; its arguments come before those of the scene. */
  readonly begin?: (scene: Scene) => Promise<void> | void;
}

export interface PhotographedScreen {
  readonly name: string;
  readonly scenes: readonly Scene[];
  readonly open: () => Promise<World>;
}

/** Is loaded before the program. */
export const CLOCK = fileURLToPath(new URL('clock.mjs', import.meta.url));

export const SIZES = [
  [80, 24],
  [120, 40],
  [200, 50],
] as const;

/** Does the steps one after another. @throws what is never seen */
export async function act(session: TerminalSession, steps: readonly Step[]): Promise<void> {
  for (const [kind, what] of steps) {
    if (kind === 'type') session.type(what);
    else await session.until(what);
  }
}
