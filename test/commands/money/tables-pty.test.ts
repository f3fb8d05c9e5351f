// Tables of commands in real terminals: no line is wider, no amount and no state is cut, and what has no room is named. The pictures in
// docs/screens are of these calls; `-u`, or `npm run screens table`, renews them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiver } from '../../e2e/upload-cli.js';
import { CLOCK, type World } from '../../screenshots/scene.js';
import { drawTable, type Shown, TABLE_SCENES, TABLE_WIDTHS, tablePicture } from '../../screenshots/table-scenes.js';
import { openTableWorld } from '../../screenshots/table-world.js';

let world: World;
beforeAll(async () => void (world = await openTableWorld()));
afterAll(() => world.close());

/** Titles of the columns that the last lines of tables name. */
const goneIn = (text: string): ReadonlySet<string> =>
  new Set(
    Array.from(text.replaceAll(/\s+/g, ' ').matchAll(/no room for ([^:]+): widen/g), ([, titles = '']) => titles)
      .join(', ')
      .split(', '),
  );

/** It is there, and neither side of it goes on or was cut. */
const isWholeIn = (text: string, form: string): boolean =>
  new RegExp(String.raw`(?<![\w.…])${form.replaceAll(/[$.+|()]/g, String.raw`\$&`)}(?![\w…]|\.\d)`).test(text);

const isMissing = (text: string, { column, forms }: Shown): boolean =>
  !(column !== undefined && goneIn(text).has(column)) &&
  !forms.some((form) => isWholeIn(form.includes(' ') ? text.replaceAll(/\s+/g, ' ') : text, form));

describe.each(TABLE_SCENES)('$name', (scene) => {
  test('shows what its JSON says in 60, 80 and 120 columns', async () => {
    const ran = await archiver(world.cwd, [...scene.args, '--json'], {
      env: { ...world.env, NODE_OPTIONS: `--import=${CLOCK}` },
    });
    expect(ran.status).toBe(0);
    const shows = scene.shows(JSON.parse(ran.stdout) as Record<string, unknown>);
    expect(shows.length).toBeGreaterThan(0);
    const drawn = new Map<number, string>();
    for (const columns of TABLE_WIDTHS) {
      const { text, tooLong } = await drawTable(world, scene, columns);
      drawn.set(columns, text);

      expect.soft(tooLong, `in ${columns} columns`).toEqual([]);
      expect
        .soft(
          shows.filter((one) => isMissing(text, one)),
          `in ${columns} columns:\n${text}`,
        )
        .toEqual([]);
      expect.soft(text).not.toMatch(/\$\S*…|…[\d.]*%/);
    }
    if (scene.varies === true) return;
    await expect(tablePicture(scene, drawn)).toMatchFileSnapshot(`../../../docs/screens/table-${scene.name}.txt`);
  });
});
