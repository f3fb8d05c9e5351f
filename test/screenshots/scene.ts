// What a text screenshot is made of. A screen has a world (a store, a home) and scenes: what is typed, and what must be on
// the screen before the shot is taken.
import { fileURLToPath } from 'node:url';
import { openSession, type TerminalSession } from '../support/terminal-session.js';

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

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

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

/** Plays a scene with the built program, and gives what `take` makes of the screen once nothing on it changes any more. */
export async function shoot<T>(
  world: World,
  scene: Scene,
  size: { readonly columns: number; readonly rows: number },
  take: (session: TerminalSession) => Promise<T>,
): Promise<T> {
  await world.begin?.(scene);
  const args = ['--import', CLOCK, CLI, ...world.args, ...(scene.args ?? [])];
  const session = openSession(args, { cwd: world.cwd, env: world.env, ...size });
  try {
    await act(session, scene.steps);
    for (let last = ''; ;) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const now = (await session.screen()).join('\n');
      if (now === last) return await take(session);
      last = now;
    }
  } finally {
    session.kill('SIGKILL');
  }
}
