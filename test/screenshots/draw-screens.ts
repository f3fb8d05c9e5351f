// `npm run screens [name …]`: text screenshots of the built program in a pseudo terminal, to docs/screens.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession, type TerminalSession } from '../support/terminal-session.js';
import { browseScreen } from './browse-scenes.js';
import { dashboardScreen } from './dashboard-scenes.js';
import { progressScreen } from './progress-scenes.js';
import { shellScreen } from './shell-scenes.js';
import { act, CLOCK, type PhotographedScreen, type Scene, SIZES, type World } from './scene.js';

const SCREENS: readonly PhotographedScreen[] = [browseScreen, dashboardScreen, shellScreen, progressScreen];
const FOLDER = fileURLToPath(new URL('../../docs/screens', import.meta.url));
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

async function shoot(world: World, scene: Scene, columns: number, rows: number): Promise<string> {
  await world.begin?.(scene);
  const args = ['--import', CLOCK, CLI, ...world.args, ...(scene.args ?? [])];
  const session = openSession(args, { cwd: world.cwd, env: world.env, columns, rows });
  try {
    await act(session, scene.steps);
    return `${(await still(session)).join('\n')}\n`;
  } finally {
    session.kill('SIGKILL');
  }
}

/** The screen once nothing on it changes any more: what was asked for has come. */
async function still(session: TerminalSession): Promise<string[]> {
  for (let last: string[] = []; ;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const lines = await session.screen();
    if (lines.join('\n') === last.join('\n')) return lines;
    last = lines;
  }
}

const wanted = process.argv.slice(2);
await mkdir(FOLDER, { recursive: true });
for (const screen of SCREENS) {
  if (wanted.length > 0 && !wanted.some((name) => name.startsWith(screen.name))) continue;
  const world = await screen.open();
  try {
    for (const scene of screen.scenes) {
      const name = `${screen.name}-${scene.name}`;
      if (wanted.length > 0 && !wanted.includes(name) && !wanted.includes(screen.name)) continue;
      for (const [columns, rows] of SIZES)
        await writeFile(join(FOLDER, `${name}-${columns}x${rows}.txt`), await shoot(world, scene, columns, rows));
    }
  } finally {
    await world.close();
  }
}
// oxlint-disable-next-line unicorn/no-process-exit -- the server of a world may hold its connections open
process.exit(0);
