// The real screen over a dashboard whose sources a test decides, with keys as a terminal sends them.
import { stripVTControlCharacters } from 'node:util';
import { render, renderToString } from 'ink';
import { PassThrough } from 'node:stream';
import type { ReactElement } from 'react';
import { onTestFinished } from 'vitest';
import { localSources } from '../../../src/commands/dashboard/local-sources.js';
import type { Dashboard, Target } from '../../../src/screens/dashboard/dashboard-context.js';
import { DashboardScreen } from '../../../src/screens/dashboard/dashboard-screen.js';
import { DASHBOARD_VIEWS } from '../../../src/screens/dashboard/views.js';
import { createDashboardStore } from '../../../src/stores/dashboard/dashboard-store.js';
import type { DashboardSources } from '../../../src/stores/dashboard/sources.js';
import { createKeySource, type KeySource } from '../../../src/ui/keys.js';
import { Kit } from '../../../src/ui/kit.js';
import type { Look } from '../../../src/ui/look.js';
import { fixedSize } from '../../../src/ui/size.js';

export const NOW = new Date('2025-11-14T12:04:31Z');
const LOOK: Look = { unicode: true, color: false };

/** The sources of this computer, as a command reads them. */
export const sourcesIn = (home: string, now = (): Date => NOW): DashboardSources =>
  localSources(
    { budgetStore: 'local', profile: undefined, endpointUrl: undefined, caBundle: undefined },
    { home, cwd: '/', env: {}, now, settings: {} },
  );

export interface OpenedDashboard {
  readonly dashboard: Dashboard;
  /** Keys as a terminal sends them, in one chunk. */
  readonly press: (keys: string) => void;
  /** The rows of the screen at this size, without blanks at their ends. */
  readonly frame: (columns: number, rows: number, look?: Look) => string[];
  /** The same with its codes. */
  readonly paint: (columns: number, rows: number, look?: Look) => string;
  /** What a person has before them, of 80x24: drawn by what has changed, and not anew. */
  readonly shown: () => Promise<string>;
}

/** Mounts the screen, so that it obeys keys. */
export function openDashboard(sources: DashboardSources, target: Partial<Target> = {}): OpenedDashboard {
  const dashboard: Dashboard = {
    store: createDashboardStore({ views: DASHBOARD_VIEWS, view: 'overview', sources }),
    sources,
    target: { url: undefined, region: undefined, profile: undefined, ...target },
    everyMs: 5000,
    userHome: '/home/lab',
  };
  const inKit = (keys: KeySource, columns: number, rows: number, look: Look): ReactElement => (
    <Kit keys={keys} size={fixedSize(columns, rows)} look={look}>
      <DashboardScreen dashboard={dashboard} views={DASHBOARD_VIEWS} />
    </Kit>
  );
  const keys = createKeySource();
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  let shown = '';
  stdout.on('data', (drawn: Buffer) => (shown = drawn.toString()));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a WriteStream and uses what a Writable has
  const app = render(inKit(keys, 80, 24, LOOK), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    patchConsole: false,
    // Whole frames, as they come.
    debug: true,
  });
  onTestFinished(() => app.unmount());
  const paint: OpenedDashboard['paint'] = (columns, rows, look = LOOK) =>
    renderToString(inKit(createKeySource(), columns, rows, look), { columns });
  return {
    dashboard,
    press: (typed) => keys.write(typed),
    paint,
    async shown() {
      await new Promise((drawn) => void setImmediate(drawn));
      return shown;
    },
    frame: (columns, rows, look) =>
      stripVTControlCharacters(paint(columns, rows, look))
        .split('\n')
        .map((line) => line.trimEnd()),
  };
}

/** Reads all that the three views show. */
export async function readAll({ spend, budgets, uploads }: DashboardSources): Promise<void> {
  for (const source of [spend, budgets, uploads]) await source.getState().refresh();
}
