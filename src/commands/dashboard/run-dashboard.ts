// `archiver dashboard`: opens the full screen from the flags, or prints one view.
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Context, Featured } from '../../cli/context.js';
import { kebab } from '../../cli/flag.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { formatStoreUrl, parseStoreUrl, splitUploadUrl } from '../../core/store/store-url.js';
import type { Dashboard } from '../../screens/dashboard/dashboard-context.js';
import { unaskedText } from '../../screens/dashboard/uploads/plan-summary.js';
import type { DashboardView } from '../../screens/dashboard/view.js';
import { DASHBOARD_VIEWS } from '../../screens/dashboard/views.js';
import { type BrowseRequest, createDashboardStore } from '../../stores/dashboard/dashboard-store.js';
import { startRefreshing } from '../../stores/dashboard/refreshing.js';
import { lookOf } from '../../ui/look.js';
import { requireTerminal } from '../kit/require-terminal.js';
import { isGiven } from '../kit/run.js';
import type { DashboardValues } from './flags.js';
import { localSources } from './local-sources.js';
import { storeSources } from './store-sources.js';

const HINT = 'archiver dashboard --once prints a view, also with --json';

/** Runs the command; returns its exit status. */
export async function runDashboard(
  values: DashboardValues,
  given: string | undefined,
  context: Context<'dashboard'>,
): Promise<number> {
  const url = given === undefined ? undefined : baseOf(given);
  const { view, region, profile, refresh: everyMs, once } = values;
  if (!once && context.json)
    throw usageError('dashboard is a screen for people and has no --json without --once', HINT);
  if (!once) requireTerminal('dashboard', HINT, context);
  const views = viewsOf(context);
  if (!views.some(({ id }) => id === view)) throw usageError(`this program has no view ${view}`, HINT);
  const opened = url === undefined ? undefined : storeSources(url, values, context);
  const sources = { ...localSources(values, context), store: opened?.sources };
  const dashboard: Dashboard = {
    store: createDashboardStore({ views, view, sources }),
    sources,
    target: { url, region: isGiven(context, 'region') ? region : undefined, profile },
    everyMs,
    userHome: context.userHome,
  };
  try {
    if (once) return await printOnce(dashboard, views, context);
    await show(dashboard, views, values, context);
    return 0;
  } finally {
    opened?.close();
  }
}

/** Returns the views that the features of this program add. */
const viewsOf = ({ features }: Featured): readonly DashboardView[] =>
  DASHBOARD_VIEWS.filter(({ id }) => features.some(({ views = [] }) => views.includes(id)));

/** Returns the base of the store, also for the URL of an upload in it. */
function baseOf(given: string): string {
  const url = formatStoreUrl(parseStoreUrl(given));
  return splitUploadUrl(url)?.baseUrl ?? url;
}

async function printOnce(
  dashboard: Dashboard,
  views: readonly DashboardView[],
  context: Context<'dashboard'>,
): Promise<number> {
  const { readOnce, renderView } = await import('../../screens/dashboard/once.js');
  const { document, problems, view } = await readOnce(dashboard, views);
  const { stdout } = context;
  const text = context.json
    ? ''
    : await renderView(dashboard, view, stdout.isTTY === true ? stdout.columns : undefined);
  for (const problem of problems) context.warn(problem);
  const { inventory, plans } = dashboard.sources.store ?? {};
  const note = inventory?.getState().value?.note ?? null;
  if (note !== null) context.warn(note);
  const seen = plans?.getState().value;
  const unasked = seen && unaskedText(seen);
  if (unasked !== undefined) context.warn(unasked);
  context.result(document, () => text);
  return problems.length === 0 ? 0 : 1;
}

async function show(
  dashboard: Dashboard,
  views: readonly DashboardView[],
  values: DashboardValues,
  context: Context,
): Promise<void> {
  const { showDashboard } = await import('../../screens/dashboard/show-dashboard.js');
  const { stdin, stdout, env, signal, now, colors } = context;
  const { store, sources, everyMs } = dashboard;
  const { browse, notify } = store.getState().do;
  const look = lookOf(colors.stdout, env);
  while (!store.getState().isOver && !signal.aborted) {
    const stop = startRefreshing({ dashboard: store, views, sources, everyMs, now, later });
    try {
      await showDashboard(dashboard, views, { stdin, stdout, look, signal });
    } finally {
      stop();
    }
    const { wish } = store.getState();
    if (wish === undefined) break;
    browse(undefined);
    notify(await browseUpload(wish, values, context));
  }
  signal.throwIfAborted();
}

/** The sign before an error; the screen puts its own there. */
const SIGN = /^[✗x!] /;

/** Runs the browser as a call of its own, so that it records what it restores. Returns the first line that it printed to stderr. */
async function browseUpload(
  { url, endpointUrl }: BrowseRequest,
  values: DashboardValues,
  { runCall, stdin, stdout, stderr, signal }: Context,
): Promise<string | undefined> {
  const pieces: string[] = [];
  const collected = new Writable({
    write(chunk: Buffer, _, done) {
      pieces.push(chunk.toString());
      stderr.write(chunk, () => done());
    },
  });
  const access = { ...values, endpointUrl: endpointUrl ?? values.endpointUrl };
  const given = (['region', 'profile', 'endpointUrl', 'caBundle'] as const).flatMap((key) =>
    access[key] === undefined || url.startsWith('file:') ? [] : [`--${kebab(key)}=${access[key]}`],
  );
  await runCall(['browse', url, ...given], { stdin, stdout, stderr: collected, signal });
  const lines = stripVTControlCharacters(pieces.join('')).split('\n');
  return lines.find((line) => line !== '')?.replace(SIGN, '');
}

function later(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
