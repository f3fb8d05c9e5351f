// `npm run screens [name …]`: text screenshots of the built program in a pseudo terminal, to docs/screens.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TerminalSession } from '../support/terminal-session.js';
import { browseScreen } from './browse-scenes.js';
import { dashboardScreen } from './dashboard-scenes.js';
import { progressScreen } from './progress-scenes.js';
import { shellScreen } from './shell-scenes.js';
import { type PhotographedScreen, shoot, SIZES } from './scene.js';
import { drawTable, TABLE_SCENES, TABLE_WIDTHS, tablePicture } from './table-scenes.js';
import { openTableWorld } from './table-world.js';

const SCREENS: readonly PhotographedScreen[] = [browseScreen, dashboardScreen, shellScreen, progressScreen];
const FOLDER = fileURLToPath(new URL('../../docs/screens', import.meta.url));

const shot = async (session: TerminalSession): Promise<string> => `${(await session.screen()).join('\n')}\n`;

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
        await writeFile(
          join(FOLDER, `${name}-${columns}x${rows}.txt`),
          await shoot(world, scene, { columns, rows }, shot),
        );
    }
  } finally {
    await world.close();
  }
}
const tables = TABLE_SCENES.filter(
  ({ name }) => wanted.length === 0 || wanted.includes('table') || wanted.includes(`table-${name}`),
);
if (tables.length > 0) {
  const world = await openTableWorld();
  for (const scene of tables) {
    const drawn = new Map<number, string>();
    for (const columns of TABLE_WIDTHS) drawn.set(columns, (await drawTable(world, scene, columns)).text);
    await writeFile(join(FOLDER, `table-${scene.name}.txt`), tablePicture(scene, drawn));
  }
  await world.close();
}
// oxlint-disable-next-line unicorn/no-process-exit -- the server of a world may hold its connections open
process.exit(0);
