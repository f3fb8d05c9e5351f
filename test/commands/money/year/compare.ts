// Holds what commands and screens say against the sheet, to the micro-dollar.
import {
  type Asked,
  accrued,
  daily,
  dayOfEnd,
  driftOf,
  type Expected,
  spent,
  storedOn,
  type Sums,
} from './expected.js';
import type { Lab } from './lab.js';
import type { Machine } from './machine.js';
import { sumOf } from './prices.js';
import { dayIn, daysOfMonth, nextDay, type SheetDay, sheetOf } from './sheet.js';

type Json = Record<string, unknown>;

interface Project {
  readonly project: string | null;
  readonly costUsd: number;
  readonly storedBytes: number;
}

/** A micro-dollar: sums of many amounts are rounded once, and half of one may fall to either side. */
const LEAST = 1.01;
const FAR_DAYS = 3653;

export interface Difference {
  readonly what: string;
  readonly said: unknown;
  readonly expected: unknown;
}

/** Collects what differs. */
export class Differences {
  readonly all: Difference[] = [];
  compared = 0;

  usd(what: string, said: unknown, micros: number): void {
    this.compared++;
    if (typeof said !== 'number' || Math.abs(said * 1e6 - micros) > LEAST)
      this.all.push({ what, said, expected: micros / 1e6 });
  }

  same(what: string, said: unknown, expected: unknown): void {
    this.compared++;
    if (said !== expected) this.all.push({ what, said, expected });
  }

  sums(what: string, key: string, said: unknown, sums: Sums): void {
    const rows = new Map((said as readonly Json[]).map((row) => [row[key] as string | null, row['costUsd']]));
    for (const name of new Set([...sums.keys(), ...rows.keys()]))
      this.usd(`${what} ${key} ${name}`, rows.get(name) ?? 0, sums.get(name) ?? 0);
  }
}

/** Whose figures are looked at, and when. */
export interface Look {
  readonly lab: Lab;
  readonly machine: Machine;
  readonly zone: string;
  readonly found: Differences;
}

const firstOf = (day: string): string => `${day.slice(0, 8)}01`;

/** Compares everything that tells of money on one machine. */
export async function compareAll(look: Look): Promise<void> {
  await inZone(look, async (local, utc) => {
    await reports(look, local, utc);
    await outlooks(look, local);
    await budgets(look, utc);
    await dashboard(look, local, utc);
  });
}

/** Compares what also holds while the store has changed in a way that no record tells of: reports go by what is known, and say since when. */
export async function compareKnown(look: Look): Promise<void> {
  await inZone(look, async (local, utc) => await reports(look, local, utc));
}

async function inZone(
  { lab, zone }: Look,
  work: (local: readonly SheetDay[], utc: readonly SheetDay[]) => Promise<void>,
): Promise<void> {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    const local = sheetOf(lab.bucket.history, zone, dayIn(zone)(lab.nowMs));
    const utc = sheetOf(lab.bucket.history, 'UTC', dayIn('UTC')(lab.nowMs));
    await work(local, utc);
  } finally {
    process.env['TZ'] = before;
  }
}

function report({ found }: Look, what: string, said: Json, { total, project, storageClass, item }: Expected): void {
  found.usd(what, said['costUsd'], total);
  found.usd(`${what} known`, said['knownUsd'], total);
  if (said['costByProject'] !== undefined) found.sums(what, 'project', said['costByProject'], project);
  found.sums(what, 'storageClass', said['costByClass'], storageClass);
  found.sums(what, 'item', said['costByItem'], item);
}

async function reports(look: Look, local: readonly SheetDay[], utc: readonly SheetDay[]): Promise<void> {
  const { machine, found, zone } = look;
  const all = async (
    what: string,
    days: readonly SheetDay[],
    asked: Asked,
    ...argv: readonly string[]
  ): Promise<void> => {
    const said = await machine.ask(...argv);
    report(look, what, said, spent(days, asked));
    sources(look, what, said);
    found.same(
      `${what}: stored bytes`,
      said['storedBytes'],
      storedOn(days, dayBefore(asked.until), asked.project).bytes,
    );
  };
  const today = local.at(-1)?.day ?? '';
  const until = nextDay(today);
  await all(`report of all time (${zone})`, local, { until }, 'cost', 'report', '--period', 'all');
  await all(`report of the month (${zone})`, local, { from: firstOf(today), until }, 'cost', 'report');
  const last = firstOf(dayBefore(firstOf(today)));
  const lastMonth = { from: last, until: firstOf(today) };
  await all(`report of last month (${zone})`, local, lastMonth, 'cost', 'report', '--period', 'last_month');
  await all(
    'report of all time (UTC)',
    utc,
    { until: nextDay(utc.at(-1)?.day ?? '') },
    'cost',
    'report',
    '--period',
    'all',
    '--utc',
  );
  const { projects } = (await machine.ask('cost', 'projects')) as { projects: readonly Project[] };
  for (const { project, costUsd, storedBytes } of projects) {
    const asked = { until, project };
    const own = project === null ? spent(local, { until }).project.get(null) : spent(local, asked).total;
    found.usd(`projects: ${project}`, costUsd, own ?? 0);
    if (project !== null)
      found.same(`projects: bytes of ${project}`, storedBytes, storedOn(local, today, asked.project).bytes);
  }
  const named = projects.flatMap(({ project }) => (typeof project === 'string' ? [project] : []));
  if (named.length === 0) return;
  const project = look.lab.pick(named);
  await all(`project ${project}`, local, { until, project }, 'cost', 'project', project);
}

/** Since when what is stored is computed, and when it was measured. */
function sources({ lab, found }: Look, what: string, said: Json): void {
  const { history } = lab.bucket;
  const timeOf = (event: { readonly atMs: number } | undefined): string | null =>
    event === undefined ? null : new Date(event.atMs).toISOString();
  for (const { computedFrom, measuredAt } of said['levels'] as readonly Json[]) {
    found.same(`${what}: computed from`, computedFrom, timeOf(history.find(({ kind }) => kind === 'run')));
    if (what.includes('last month')) continue;
    found.same(`${what}: measured`, measuredAt, timeOf(history.findLast(({ kind }) => kind === 'measured')));
  }
}

const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

async function outlooks({ machine, found, lab }: Look, local: readonly SheetDay[]): Promise<void> {
  const today = local.at(-1)?.day ?? '';
  const until = nextDay(today);
  const { projects } = (await machine.ask('cost', 'projects')) as { projects: readonly Project[] };
  const names = [undefined, ...projects.flatMap(({ project }) => (typeof project === 'string' ? [project] : []))];
  const project = lab.pick(names);
  const who = project ?? 'all';
  const named = project === undefined ? [] : [project];
  const asked = { until, ...(project !== undefined && { project }) };
  const stored = storedOn(local, today, project);
  const days = daily(local, asked);
  const first = days.findIndex(({ day }) => spent(local, { ...asked, from: day, until: nextDay(day) }).total > 0);
  const past = days.slice(Math.max(0, first), -1);
  const shown = past.slice(-90);

  const forecast = await machine.ask('cost', 'forecast', ...named);
  for (const { days: count, storedUsd } of forecast['predictions'] as readonly { days: number; storedUsd: number }[])
    found.usd(`forecast of ${who}: base of ${count} days`, storedUsd, accrued(stored.micros, today, count));
  const said = forecast['dailyCosts'] as readonly { day: string; costUsd: number }[];
  found.same(`forecast of ${who}: days`, said.map(({ day }) => day).join(' '), shown.map(({ day }) => day).join(' '));
  for (const [index, { day, costUsd }] of said.entries())
    found.usd(`forecast of ${who}: ${day}`, costUsd, shown[index]?.micros ?? Number.NaN);

  const rate = await machine.ask('cost', 'burnrate', ...named);
  const perDay = stored.micros / daysOfMonth(today);
  found.usd(`burn rate of ${who}: stored`, rate['storedPerDayUsd'], perDay);
  if (rate['kind'] === 'burn-rate') {
    // What the very first day paid is no rate.
    const onces = (past.length > 90 ? shown : shown.slice(1)).map(({ once }) => once);
    const once = sumOf(onces) / onces.length;
    found.usd(`burn rate of ${who}: once`, rate['oncePerDayUsd'], once);
    found.usd(`burn rate of ${who}: a day`, rate['perDayUsd'], perDay + once);
    found.usd(`burn rate of ${who}: known`, rate['knownUsd'], sumOf(shown.map(({ micros }) => micros)));
    found.usd(`burn rate of ${who}: highest`, rate['highestDayUsd'], Math.max(...shown.map(({ micros }) => micros)));
  }

  const { total } = spent(local, asked);
  const budget = Math.ceil(total / 1e6) + 1 + lab.random(500);
  const end = await machine.ask('cost', 'exhaustion', ...named, '--budget', String(budget));
  found.usd(`exhaustion of ${who}: spent`, end['spentUsd'], total);
  found.usd(`exhaustion of ${who}: left`, end['leftUsd'], budget * 1e6 - total);
  found.same(
    `exhaustion of ${who}: by what is stored`,
    end['storedDate'],
    dayOfEnd(stored.micros, budget * 1e6 - total, until, FAR_DAYS),
  );
}

/** Before the first record nothing was spent. */
function wholeMonth(days: ReturnType<typeof daily>, first: string): ReturnType<typeof daily> {
  const before: { day: string; micros: number; once: number }[] = [];
  for (let day = first; day < (days[0]?.day ?? ''); day = nextDay(day)) before.push({ day, micros: 0, once: 0 });
  return [...before, ...days];
}

/** What the overview and the costs of the dashboard show. */
async function dashboard(look: Look, local: readonly SheetDay[], utc: readonly SheetDay[]): Promise<void> {
  const { machine, found, lab } = look;
  const view = lab.pick(['overview', 'costs']);
  const said = await machine.ask('dashboard', '--once', '--view', view);
  const month = said['monthSpend'] as Json;
  const today = local.at(-1)?.day ?? '';
  const asked = { from: firstOf(today), until: nextDay(today) };
  const stored = storedOn(local, today).micros;
  report(look, `dashboard (${view})`, month, spent(local, asked));
  found.usd(`dashboard (${view}): stored a day`, month['storedPerDayUsd'], stored / daysOfMonth(today));
  const left = daysOfMonth(today) - Number(today.slice(8));
  const end = spent(local, asked).total + accrued(stored, nextDay(today), left);
  found.usd(`dashboard (${view}): end of the month`, month['monthEndUsd'], end);
  const days = wholeMonth(daily(local, asked), asked.from);
  const shown = month['dailyCosts'] as readonly { day: string; costUsd: number }[];
  found.same(`dashboard (${view}): days`, shown.map(({ day }) => day).join(' '), days.map(({ day }) => day).join(' '));
  for (const [index, { day, costUsd }] of shown.entries())
    found.usd(`dashboard (${view}): ${day}`, costUsd, days[index]?.micros ?? Number.NaN);
  const listed = said['budgets'] as readonly Json[];
  found.same(`dashboard (${view}): budgets`, listed.length, lab.budgets.size);
  for (const one of listed) budget(look, utc, one);
}

/** With nothing done for so many days, what a forecast knew is what the report says then. */
export async function comparePromise({ lab, machine, found }: Look, days: number): Promise<void> {
  const total = async (): Promise<number> =>
    Number((await machine.ask('cost', 'report', '--period', 'all'))['costUsd']);
  const spentBefore = await total();
  const { predictions, storedPerDayUsd } = await machine.ask('cost', 'forecast');
  const promised = (predictions as readonly { days: number; storedUsd: number }[]).find((one) => one.days === days);
  lab.later((days - 1) * 24);
  // Today is the first of the days, and is in both.
  const expected = spentBefore + (promised?.storedUsd ?? Number.NaN) - Number(storedPerDayUsd);
  found.usd(`report after ${days} days, as the forecast said`, await total(), expected * 1e6);
}

async function budgets(look: Look, utc: readonly SheetDay[]): Promise<void> {
  for (const project of look.lab.budgets.keys())
    budget(look, utc, await look.machine.ask('budget', 'status', project ?? '--global'));
}

function budget({ found, lab }: Look, utc: readonly SheetDay[], said: Json): void {
  const project = said['project'] as string | null;
  const { costUsd, volumeGB, period } = lab.budgets.get(project) ?? { costUsd: 0, volumeGB: 0, period: 'total' };
  const what = `budget of ${project ?? 'all'} (${period})`;
  const [cost, volume] = [said['costUsage'], said['volumeUsage']] as [Json, Json];
  const today = utc.at(-1)?.day ?? '';
  const from = period === 'month' ? firstOf(today) : '';
  const asked = { from, until: nextDay(today), project };
  const used = spent(utc, asked).total + driftOf(utc, asked);
  found.usd(`${what}: cost`, cost['used'], used);
  found.usd(`${what}: left`, cost['remaining'], costUsd * 1e6 - Math.round(used));
  const before = period === 'month' ? storedOn(utc, dayBefore(from), project).bytes : 0;
  const bytes = Math.max(0, storedOn(utc, today, project).bytes - before);
  found.same(`${what}: volume`, volume['used'], bytes);
  found.same(`${what}: volume left`, volume['remaining'], volumeGB * 1e9 - bytes);
}
