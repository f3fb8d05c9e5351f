// Refreshes the dashboard as often as a day has intervals, by a clock of its own, and prints by how many bytes the heap has
// grown. Run with --expose-gc.
import { rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { render } from 'ink';
import { localSources } from '../../../src/commands/dashboard/local-sources.js';
import { DashboardScreen } from '../../../src/screens/dashboard/dashboard-screen.js';
import { DASHBOARD_VIEWS } from '../../../src/screens/dashboard/views.js';
import { createDashboardStore } from '../../../src/stores/dashboard/dashboard-store.js';
import { startRefreshing } from '../../../src/stores/dashboard/refreshing.js';
import { createKeySource } from '../../../src/ui/keys.js';
import { Kit } from '../../../src/ui/kit.js';
import { fixedSize } from '../../../src/ui/size.js';

const EVERY_MS = 5000;
const WARM_UP = 500;
const [home = '', count = '0'] = process.argv.slice(2);
const refreshes = Number(count);

let ms = Date.parse('2025-11-14T00:00:00Z');
let due: (() => void) | undefined;
const now = (): Date => new Date(ms);
const sources = localSources(
  { budgetStore: 'local', profile: undefined, endpointUrl: undefined, caBundle: undefined },
  { home, cwd: '/', env: {}, now, settings: {} },
);
const store = createDashboardStore({ views: DASHBOARD_VIEWS, view: 'overview', sources });
const dashboard = {
  store,
  sources,
  target: { url: undefined, region: undefined, profile: undefined },
  everyMs: EVERY_MS,
  userHome: '/',
};

let written = 0;
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    written += chunk.length;
    done();
  },
});
const keys = createKeySource();
const app = render(
  <Kit keys={keys} size={fixedSize(120, 40)} look={{ unicode: true, color: true }}>
    <DashboardScreen dashboard={dashboard} views={DASHBOARD_VIEWS} />
  </Kit>,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a WriteStream and uses what a Writable has
  {
    stdout: Object.assign(sink, { columns: 120, rows: 40 }) as unknown as NodeJS.WriteStream,
    debug: true,
    patchConsole: false,
  },
);
const stop = startRefreshing({
  dashboard: store,
  views: DASHBOARD_VIEWS,
  sources,
  everyMs: EVERY_MS,
  now,
  later(wait, call) {
    // What runs here is not looked at: nothing does.
    if (wait === EVERY_MS) due = call;
    return () => undefined;
  },
});

const heapUsed = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

let before = 0;
for (let at = 1; at <= refreshes + WARM_UP; at++) {
  ms += EVERY_MS;
  due?.();
  // Reads that are under way are not begun again: this waits for them.
  await Promise.all([sources.spend, sources.budgets, sources.uploads].map((source) => source.getState().refresh()));
  // A person looks around, too.
  if (at % 100 === 0) keys.write('\tj');
  if (at === WARM_UP) before = heapUsed();
}
const grown = heapUsed() - before;
stop();
app.unmount();
await rm(home, { recursive: true });
process.stdout.write(JSON.stringify({ grown, written, readAt: sources.spend.getState().readAt }));
