import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ProgressFile } from '../../../src/core/archive/resume/progress-file.js';
import { statePaths } from '../../../src/core/archive/resume/state-folder.js';
import { replaceFile } from '../../../src/core/platform/state/replace-file.js';
import { createSource } from '../../../src/stores/dashboard/source.js';
import type { DashboardSources } from '../../../src/stores/dashboard/sources.js';
import { widthOf } from '../../../src/ui/text.js';
import { fillHome, lockUpload, savedId, saveUpload } from '../../support/dashboard-home.js';
import { tempFolder } from '../../support/temp-folder.js';
import { NOW, openDashboard, readAll, sourcesIn } from './open-dashboard.js';

const GIB = 2 ** 30;

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 50],
] as const;
const DOWN = '\u001b[B';
const LOOKS = [
  { unicode: true, color: true },
  { unicode: false, color: false },
];
// oxlint-disable-next-line no-control-regex
const INVERSE = /\u001b\[2?7m/g;

const failing = <T>(text: string): ReturnType<typeof createSource<T>> =>
  createSource<T>({ now: () => NOW, read: () => Promise.reject(new Error(text)) });

/** Sources that were read, in a home folder of their own. */
async function homeWith(
  contents: Parameters<typeof fillHome>[2],
  more?: (home: string) => Promise<void>,
): Promise<DashboardSources> {
  const home = await tempFolder();
  await fillHome(home, NOW, contents);
  await more?.(home);
  const sources = sourcesIn(home);
  await readAll(sources);
  return sources;
}

const LAB = { days: 14, budgets: 3, uploads: 3 };
/** One runs, one has failed, and one is half written. */
const lab = (): Promise<DashboardSources> =>
  homeWith(LAB, async (home) => {
    await lockUpload(home, 0, hostname());
    await saveUpload(home, 2, NOW, { failure: 'access denied (403)' });
    await writeFile(join(home, 'state', `${savedId(9)}.json`), '{"type":"archiver-upl');
  });

const WORLDS: readonly [name: string, open: () => Promise<DashboardSources>][] = [
  ['an empty home', () => homeWith({})],
  ['a laboratory', lab],
  ['1,000 budgets and 500 uploads', () => homeWith({ days: 14, budgets: 1000, uploads: 500 })],
  [
    'sources that cannot be read',
    async () => {
      const sources = {
        ...(await homeWith({})),
        spend: failing<never>('cannot read ~/.archiver/ledger: access denied'),
        budgets: failing<never>('garbage \u001b[2J'),
        uploads: failing<never>('no such disk'),
      };
      await readAll(sources);
      return sources;
    },
  ],
  ['nothing read yet', () => Promise.resolve(sourcesIn('/nowhere'))],
];

it.each(WORLDS)(
  'with %s every view and its details fill every terminal exactly, with and without colours and beyond ASCII',
  async (_name, open) => {
    const { press, paint } = openDashboard(await open(), {
      url: 's3://acme-archive/lab',
      region: 'us-west-2',
      profile: 'lab',
    });
    for (const keys of ['1', '2', '\r', '\r3', '\r', '?', 'x', '/run', '\r', DOWN]) {
      press(keys);
      for (const [columns, rows] of SIZES)
        for (const look of LOOKS) {
          const painted = paint(columns, rows, look);
          const lines = stripVTControlCharacters(painted).split('\n');
          expect(lines).toHaveLength(rows - 1);
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
          expect(lines.at(-1)).toMatch(/quit|filter/);
          expect(painted).not.toContain('\u001b[2J');
          expect(look.unicode ? '' : painted.replaceAll(INVERSE, '')).toMatch(/^[\x20-\x7e\n]*$/);
        }
    }
  },
);

describe('the dashboard', () => {
  it('shows the month, budgets with their alerts, and uploads with their speed', async () => {
    const { frame } = openDashboard(await lab(), { url: 's3://acme-archive/lab', region: 'us-west-2', profile: 'lab' });
    const lines = frame(120, 40);
    const text = lines.join('\n');

    expect(lines[0]).toBe(
      ' archiver dashboard  s3://acme-archive/lab                    us-west-2  profile lab  refreshed 12:04:31, every 0.5s-5s',
    );
    expect(lines[1]).toBe(' [1 Overview]  2 Costs   3 Uploads   4 Inventory   5 Analyze   6 Fleet');
    expect(text).toMatch(
      /\$\d+\.\d\d +1-14 Nov, 42 cost records in the local ledger\n {3}per day {2}[▁-█]{14} {2}highest \$\d+\.\d\d on \d+ Nov, average \$\d+\.\d\d/,
    );
    expect(text).toMatch(
      /genomics-2025 +━+╸?─+ +82% +\$410\.11 +of +\$500\.00 +\$89\.89 left +▲ past 80%\n {5}volume +━+╸?─+ +31%/,
    );
    expect(text).toMatch(new RegExp(`${savedId(0)} +/data/run-0412 +━+╸?─+ +61% +72\\.7 MiB/s +10m34s\n`));
    expect(text).toMatch(/STORAGE CLASSES\n +STANDARD +\$\d+\.\d\d +━+╸?─+ +5\d%\n/);
    expect(lines[3]).toMatch(new RegExp(`^ ✗ ${savedId(9)} .* press 3$`));
    expect(lines[4]).toMatch(/^ ▲ genomics-2025 is at 82% of its cost budget \(alert at 80%\) +press 2$/);
    expect(lines[5]).toMatch(new RegExp(`^ ▲ interrupted: archiver resume ${savedId(2)} +press 3$`));
    expect(lines.at(-2)).toBe(' ✗ 1 problem, 3 warnings; press 3 for the worst · no store, so no fleet');
    expect(frame(80, 24).at(-2)).toBe(lines.at(-2));
    expect(frame(60, 15)[3]).toMatch(new RegExp(`^ ✗ ${savedId(9)} .* press 3$`));
    expect(lines.at(-1)).toBe(' tab/←/→ view  1-6 jump  R refresh  ? help  q quit');
    expect(frame(60, 24).join('\n')).toMatch(/per day {2}[▁-█]{14} {2}highest \$\d+\.\d\d\n/);
  });

  it('says in each part what to type where there is nothing', async () => {
    const text = openDashboard(await homeWith({}))
      .frame(80, 24)
      .join('\n');

    expect(text).toContain('no cost is recorded here yet');
    expect(text).toContain('archiver budget set PROJECT --cost USD');
    expect(text).toContain('none is running here, and none was interrupted');
  });

  it('shows what went wrong beside the part that it concerns, and keeps what was read before', async () => {
    const home = await tempFolder();
    await fillHome(home, NOW, LAB);
    const sources = sourcesIn(home);
    await readAll(sources);
    const { frame } = openDashboard(sources);
    await writeFile(join(home, 'budgets.json'), 'garbage');
    await readAll(sources);
    const lines = frame(120, 40);

    expect(lines.find((line) => line.startsWith(' BUDGETS'))).toMatch(/budgets\.json/);
    expect(lines.join('\n')).toMatch(/genomics-2025 .* 82%/);
    expect(lines.find((line) => line.startsWith(' SPEND'))).toBe(' SPEND THIS MONTH');
  });

  it('shows budgets by what is used, filters them as it is typed, sorts them, and shows all about one', async () => {
    const { frame, press } = openDashboard(await homeWith({ days: 3, budgets: 1000 }));
    press('2');
    expect(frame(120, 40).join('\n')).toMatch(
      /▸genomics-2025 +total +━+╸?─* +82% +\$410\.11 of \$500\.00 +━+╸?─* +31% +3100\.0 GB of 10000\.0 GB +▲ past 80%/,
    );
    press('/0007');
    expect(frame(80, 24).at(-2)).toMatch(/^ filter: 0007 .* 1 of 1, 1 001 in all$/);
    press('\r\r');
    expect(frame(80, 24).join('\n')).toMatch(
      /project-0007\n +cost .* alert at 80%\n.*\n +period +in total, since 2025-10-31/,
    );
    expect(frame(60, 15).join('\n')).toMatch(/project-0007\n +cost .*\n/);
    for (const columns of [60, 80]) expect(frame(columns, 24).slice(2, 10).join('\n')).not.toContain('…');
    press('\rs');

    expect(frame(80, 24).at(-2)).toMatch(/by name {2}1 of 1/);
  });

  it('shows saved uploads with their state in words, what became of them, and what continues them', async () => {
    const { frame, press } = openDashboard(await lab());
    press('3');
    const lines = frame(120, 40);
    expect(lines[4]).toMatch(
      new RegExp(`^▸${savedId(0)} +running +.*0412.* 71\\.0/116 GiB .* 61% +72\\.7 MiB/s +10m34s$`),
    );
    expect(lines.join('\n')).toMatch(new RegExp(`${savedId(9)} +unreadable`));
    expect(lines.at(-2)).toMatch(/1 state file cannot be read; archiver resume clean removes them +1 of 4$/);
    press('jj');

    const text = frame(120, 40).join('\n');
    expect(text).toMatch(/ended by +access denied \(403\)\n +destination +s3:\/\/acme-archive\/lab\/uploads\//);
    expect(text).toContain(`Continue it with: archiver resume ${savedId(2)}`);
    press('b');
    expect(frame(120, 40).at(-2)).toContain(`it has no manifest yet: archiver resume ${savedId(2)} completes it`);
  });

  it('shows of an upload that is running what its own display says, and how old that is where it stands still', async () => {
    const home = await tempFolder();
    await fillHome(home, NOW, { uploads: 1 });
    await lockUpload(home, 0, hostname());
    const progress = new ProgressFile(statePaths(join(home, 'state'), savedId(0)).progress);
    progress.note({ at: NOW.toISOString(), files: 3, bytes: 3 * GIB, of: { files: 8, bytes: 8 * GIB } });
    await progress.write();
    let nowMs = NOW.getTime();
    const sources = sourcesIn(home, () => new Date(nowMs));
    await readAll(sources);
    const { frame, press } = openDashboard(sources);
    press('3');

    expect(frame(120, 40)[4]).toMatch(/running .* 3\.\d+\/8\.\d+ GiB .* 37% /);
    expect(frame(120, 40)[0]).toMatch(/every 0\.5s$/);
    nowMs += 90_000;
    await readAll(sources);
    expect(frame(120, 40)[4]).toMatch(/ 37% +1m30s old /);
  });

  it('tells the age of a state file as of each refresh, also while nothing in it changes', async () => {
    const home = await tempFolder();
    await fillHome(home, NOW, { uploads: 1 });
    let nowMs = Date.now();
    const sources = sourcesIn(home, () => new Date(nowMs));
    await readAll(sources);
    const { press, shown } = openDashboard(sources);
    press('3');
    expect(await shown()).toMatch(/saved 0\.\ds ago/);
    for (const hours of [1, 2]) {
      nowMs += 3_600_000;
      await readAll(sources);
      expect(await shown()).toContain(`saved ${hours}h 0m ago`);
    }
  });

  it('wants to browse an upload that is complete', async () => {
    const sources = await homeWith({ uploads: 1 }, (home) =>
      saveUpload(home, 0, NOW, { status: 'complete', endpoint: 'https://s3.lab' }),
    );
    const { press, dashboard } = openDashboard(sources);
    press('3b');

    expect(dashboard.store.getState().wish).toEqual({
      url: `s3://acme-archive/lab/uploads/${savedId(0)}`,
      endpointUrl: 'https://s3.lab',
    });
  });

  it('takes the keys of a chunk one after another: views, rows, a filter with q in it, help, and quits', async () => {
    const { press, dashboard, frame } = openDashboard(await homeWith({ uploads: 5 }));
    press(`\t\t${DOWN}${DOWN}jk/q1`);
    const { view, places, mode } = dashboard.store.getState();
    expect([view, mode, places.uploads.filter.text, places.uploads.position]).toEqual(['uploads', 'filter', 'q1', 2]);
    press('\r');
    expect(dashboard.store.getState().mode).toBe('list');
    press('?');
    const help = frame(80, 24).join('\n');
    expect(help).toContain('Keys in the dashboard  any key closes this');
    expect(help).toMatch(/1-6 +the view of that number/);
    expect(help).toMatch(/q Q +quit/);
    expect(dashboard.store.getState().isOver).toBe(false);
    press('xQ');

    expect(dashboard.store.getState().isOver).toBe(true);
  });
});

it('reads a saved upload again only where its file or its process is another', async () => {
  const home = await tempFolder();
  await fillHome(home, NOW, { uploads: 3 });
  const { uploads } = sourcesIn(home);
  await uploads.getState().refresh();
  const before = uploads.getState().value?.uploads ?? [];
  await uploads.getState().refresh();
  expect(uploads.getState().value?.uploads).toBe(before);
  await saveUpload(home, 1, NOW, { failure: 'out of disk' });
  await mkdir(join(home, 'state', 'more'));
  await uploads.getState().refresh();
  const after = uploads.getState().value?.uploads ?? [];
  expect([after[0] === before[0], after[1]?.document?.failure, after[2] === before[2]]).toEqual([
    true,
    'out of disk',
    true,
  ]);
  await lockUpload(home, 0, hostname());
  await uploads.getState().refresh();

  expect(uploads.getState().value?.uploads[2]?.holder?.pid).toBe(process.pid);
});

it('does not look into the folder of saved uploads while nothing in it was written, and sees all that is', async () => {
  const home = await tempFolder();
  await fillHome(home, NOW, { uploads: 2 });
  const later = (): Date => new Date(Date.now() + 60_000);
  const { uploads } = sourcesIn(home, later);
  const read = async (): Promise<readonly string[]> => {
    await uploads.getState().refresh();
    return (uploads.getState().value?.uploads ?? []).map(({ id, document }) => document?.failure ?? id);
  };
  expect(await read()).toEqual([savedId(1), savedId(0)]);
  const state = join(home, 'state', `${savedId(1)}.json`);
  const text = await readFile(state, 'utf8');
  // Written in place, as nobody does: that it is not seen shows that nobody looked.
  await saveUpload(home, 1, NOW, { failure: 'in place' });
  expect(await read()).toEqual([savedId(1), savedId(0)]);
  await replaceFile(join(home, 'state', `${savedId(0)}.json`), text.replaceAll(savedId(1), savedId(0)));
  expect(await read()).toEqual(['in place', savedId(0)]);
  await rm(state);

  expect(await read()).toEqual([savedId(0)]);
});

it('an upload that is done is no budget that is used up: its bar is never red', async () => {
  const done = { files: 13_290, bytes: 116 * 2 ** 30, chunks: 364, storedBytes: 1 };
  const { press, paint } = openDashboard(await homeWith({ uploads: 1 }, (home) => saveUpload(home, 0, NOW, { done })));
  for (const view of ['1', '3']) {
    press(view);
    const painted = paint(120, 40, { unicode: true, color: true });
    expect(painted).toMatch(/100%/);
    // oxlint-disable-next-line no-control-regex
    expect(painted).not.toMatch(/\u001b\[31m/);
  }
});
