// `npm run pictures`: pictures of the built program for the README, to docs/pictures.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browseScreen } from './browse-scenes.js';
import { dashboardScreen } from './dashboard-scenes.js';
import { progressScreen } from './progress-scenes.js';
import { recordCast } from './record-cast.js';
import { shoot } from './scene.js';
import { svgOf } from './svg.js';

const FOLDER = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const PICTURES = [
  { screen: browseScreen, scene: 'tree', columns: 120, rows: 30, title: 'archiver browse: a version as a tree' },
  { screen: dashboardScreen, scene: 'overview', columns: 120, rows: 32, title: 'archiver dashboard: the overview' },
  { screen: progressScreen, scene: 'upload', columns: 100, rows: 8, title: 'archiver upload: its progress' },
] as const;

await mkdir(FOLDER, { recursive: true });
for (const { screen, scene: name, columns, rows, title } of PICTURES) {
  const world = await screen.open();
  try {
    const scene = screen.scenes.find((one) => one.name === name);
    if (scene === undefined) throw new Error(`${screen.name} has no scene ${name}`);
    const cells = await shoot(world, scene, { columns, rows }, (session) => session.cells());
    const last = cells.findLastIndex((row) => row.some(({ text }) => text !== ' '));
    await writeFile(join(FOLDER, `${screen.name}.svg`), svgOf(cells.slice(0, last + 1), title));
  } finally {
    await world.close();
  }
}
await writeFile(join(FOLDER, 'archiver.cast'), await recordCast());
// oxlint-disable-next-line unicorn/no-process-exit -- the server of a world may hold its connections open
process.exit(0);
