// From what was seen of a writer to how it is. The store's time of a heartbeat says when the writer checked in; its own clock only
// says how long before that something was. A clock that is ahead, or dates that cannot be, make a heartbeat that nothing is
// concluded from (docs/decisions/044). Pure.
import { defined } from '../../platform/defined.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { Heartbeat } from '../heartbeat.js';
import type { SeenConfig, SeenHeartbeat, WriterObservation } from './observation.js';
import { spanText } from './span.js';

type Freshness = 'fresh' | 'stale' | 'missing' | 'unknown';
/** Freshness and health in one word. */
export const CONDITIONS = ['healthy', 'starting', 'failing', 'stale', 'missing', 'unknown'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Clocks that differ by less agree: a heartbeat may be sent again for some minutes before it arrives. */
const TOLERANCE_MS = 5 * 60_000;
/** A config put this shortly before a cycle began may not have been seen by it. */
const CONFIG_MARGIN_MS = 60_000;
/** A writer that runs once a month is watched by other means. */
const LONGEST_INTERVAL_MS = 14 * 86_400_000;
const MAX_TEXT = 300;

export interface WriterStatus {
  readonly writerId: string;
  readonly freshness: Freshness;
  readonly condition: Condition;
  /** Of the latest cycle that ended; null where there is none, or that is not known. */
  readonly isHealthy: boolean | null;
  /** By the store's clock. */
  readonly checkedInAt: Date | null;
  readonly ageMs: number | null;
  /** From this age on it is stale. */
  readonly staleAfterMs: number;
  /** By the store's clock; null where it never succeeded. */
  readonly lastSuccessAt: Date | null;
  /** How far the writer's clock is ahead; negative where it is behind. */
  readonly clockSkewMs: number | null;
  readonly isCloned: boolean;
  /** It runs an older config than the one that lies there for it. */
  readonly isConfigBehind: boolean;
  readonly config: SeenConfig | undefined;
  /** As it was sent; undefined where none could be read. */
  readonly heartbeat: Heartbeat | undefined;
  /** What somebody should know, in sentences; none where all is well. */
  readonly troubles: readonly string[];
}

export interface Judging {
  /** By the store's clock. */
  readonly now: Date;
  readonly thresholdMs: number;
  /** Two instances of it took turns lately. */
  readonly isCloned: boolean;
}

type ReadHeartbeat = Extract<SeenHeartbeat, { readonly kind: 'read' }>;

const skewOf = ({ heartbeat, putAt }: ReadHeartbeat): number => Date.parse(heartbeat.checkedInAt) - putAt.getTime();

/** When its latest cycle began, ms by the store's clock. */
export const cycleStartOf = (seen: ReadHeartbeat): number =>
  Date.parse(seen.heartbeat.cycle.startedAt) - skewOf(seen) - CONFIG_MARGIN_MS;

/** How a writer is. */
export function judge({ writerId, seen, config }: WriterObservation, judging: Judging): WriterStatus {
  const { now, thresholdMs, isCloned } = judging;
  const base = { ...NOTHING, writerId, config, staleAfterMs: thresholdMs };
  const nowMs = now.getTime();
  if (seen.kind === 'none') {
    const since = config === undefined ? '' : `: its config was put ${spanText(nowMs - config.putAt.getTime())} ago`;
    return { ...base, ...both('missing'), troubles: [`it has never checked in${since}`] };
  }
  const checkedInAt = seen.putAt ?? null;
  const ageMs = checkedInAt === null ? null : Math.max(0, nowMs - checkedInAt.getTime());
  const when = { checkedInAt, ageMs };
  if (seen.kind === 'unreadable') return { ...base, ...both('unknown'), ...when, troubles: [shown(seen.reason)] };
  const { heartbeat } = seen;
  const clockSkewMs = skewOf(seen);
  const doubt = doubtOf(seen, nowMs);
  const told = { ...base, ...when, clockSkewMs, heartbeat, isCloned };
  if (doubt !== undefined) return { ...told, ...both('unknown'), troubles: [doubt] };
  const staleAfterMs = Math.max(thresholdMs, Math.min(2000 * heartbeat.intervalSeconds, LONGEST_INTERVAL_MS));
  const isHealthy = healthOf(heartbeat);
  const freshness = (ageMs ?? 0) > staleAfterMs ? 'stale' : 'fresh';
  const { lastSuccessAt: success } = heartbeat;
  const status = {
    ...told,
    freshness,
    condition: freshness === 'stale' ? freshness : isHealthy === null ? 'starting' : isHealthy ? 'healthy' : 'failing',
    isHealthy,
    staleAfterMs,
    lastSuccessAt: success === null ? null : new Date(Date.parse(success) - clockSkewMs),
    isConfigBehind: isBehind(seen, config),
  } as const;
  return { ...status, troubles: troublesOf(status, heartbeat) };
}

const NOTHING = {
  isHealthy: null,
  checkedInAt: null,
  ageMs: null,
  lastSuccessAt: null,
  clockSkewMs: null,
  isCloned: false,
  isConfigBehind: false,
  heartbeat: undefined,
} as const;

const both = <T extends Freshness & Condition>(word: T): { readonly freshness: T; readonly condition: T } => ({
  freshness: word,
  condition: word,
});

/** Why nothing can be concluded from it. */
function doubtOf(seen: ReadHeartbeat, nowMs: number): string | undefined {
  const { checkedInAt, lastSuccessAt, cycle } = seen.heartbeat;
  const ahead = seen.putAt.getTime() - nowMs;
  if (ahead > TOLERANCE_MS) return `the store dates its heartbeat ${spanText(ahead)} later than now`;
  const skew = skewOf(seen);
  if (skew > TOLERANCE_MS) return `its clock is ${spanText(skew)} ahead of the store's`;
  const latest = Date.parse(checkedInAt) + TOLERANCE_MS;
  const isLater = (moment: string | null): boolean => moment !== null && Date.parse(moment) > latest;
  return [lastSuccessAt, cycle.startedAt, cycle.endedAt].some(isLater)
    ? 'its heartbeat speaks of times that are later than itself'
    : undefined;
}

function healthOf({ cycle, problem, sources }: Heartbeat): boolean | null {
  if (cycle.isHealthy === null) return problem === null ? null : false;
  return cycle.isHealthy && sources.length > 0 && sources.every(({ isHealthy }) => isHealthy !== false);
}

function isBehind(seen: ReadHeartbeat, config: SeenConfig | undefined): boolean {
  const { configVersion } = seen.heartbeat;
  if (config?.version === undefined || configVersion === null) return false;
  return configVersion < config.version && config.putAt.getTime() < cycleStartOf(seen);
}

type Judged = Omit<WriterStatus, 'troubles'>;

function troublesOf(status: Judged, heartbeat: Heartbeat): readonly string[] {
  const { freshness, ageMs, staleAfterMs, clockSkewMs, isCloned, isConfigBehind, config } = status;
  const { configError, configVersion } = heartbeat;
  const skewMs = clockSkewMs ?? 0;
  const said = (isSo: boolean, sentence: string): string | undefined => (isSo ? sentence : undefined);
  const sentences = {
    stale: said(
      freshness === 'stale',
      `it checked in ${spanText(ageMs ?? 0)} ago, and ${spanText(staleAfterMs)} are allowed`,
    ),
    // Of a cycle that succeeded it is a warning: a clone, a key of the config that is not obeyed.
    failed: status.isHealthy === false ? failureOf(heartbeat) : (heartbeat.problem ?? undefined),
    cloned: said(
      isCloned,
      'two instances of it take turns: the machine was cloned, or two agents have its credentials',
    ),
    skew: said(skewMs < -TOLERANCE_MS, `its clock is ${spanText(-skewMs)} behind the store's`),
    // Without a config to go on with, this is its problem, and said already.
    refused: said(
      configError !== null && configError !== heartbeat.problem,
      `it does not take the config that lies there for it: ${configError}`,
    ),
    behind: said(isConfigBehind, `it runs config ${configVersion}, and ${config?.version} lies there for it`),
  };
  return Object.values(defined(sentences)).map(shown);
}

/** What went wrong in its latest cycle. */
function failureOf({ problem, sources }: Heartbeat): string {
  const [first, ...others] = sources.filter((source) => source.isHealthy === false);
  if (first === undefined)
    return problem ?? `its last cycle failed${sources.length === 0 ? ': it has no sources' : ''}`;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const source = `source ${first.path} failed${more}: ${first.error ?? 'it does not say why'}`;
  return problem === null ? source : `${problem}; ${source}`;
}

/** A writer says what it likes, and as much of it. */
const shown = (text: string): string => printable(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Somebody has to look at it. */
export const isTroubled = ({ troubles }: Pick<WriterStatus, 'troubles'>): boolean => troubles.length > 0;
