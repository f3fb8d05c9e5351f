// Judges the condition of a writer from what was seen of it. The store's time of a heartbeat tells when the writer checked in; its own
// clock is used only for durations before that. When its clock is ahead, or dates are impossible, nothing is concluded from the heartbeat
// (docs/decisions/044). Pure.
import { defined } from '../../platform/defined.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { FindingKind, Heartbeat } from '../heartbeat.js';
import {
  type Cadence,
  cadenceOf,
  newestStored,
  slowerThanConfig,
  type SourceStatus,
  sourcesOf,
  staleSources,
  unbackedOf,
} from './judge-stored.js';
import type { SeenConfig, SeenHeartbeat, SeenStore, WriterObservation } from './observation.js';
import { spanText } from './span.js';

type Freshness = 'fresh' | 'stale' | 'missing' | 'unknown';
/** Freshness and health in one word. */
export const CONDITIONS = ['healthy', 'starting', 'failing', 'stale', 'missing', 'unknown'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Smaller differences between clocks are ignored: a heartbeat may be sent again for some minutes before it arrives. */
const TOLERANCE_MS = 5 * 60_000;
/** A cycle that began this shortly after a config was put may not have seen it. */
const CONFIG_MARGIN_MS = 60_000;
const MAX_TEXT = 300;

export interface WriterStatus extends Cadence {
  readonly writerId: string;
  readonly freshness: Freshness;
  readonly condition: Condition;
  /** Health of the latest cycle that ended; null when there is none, or when it is not known. */
  readonly isHealthy: boolean | null;
  /** By the store's clock. */
  readonly checkedInAt: Date | null;
  readonly ageMs: number | null;
  /** By the store's clock; null when it never succeeded. */
  readonly lastSuccessAt: Date | null;
  /** How far the writer's clock is ahead; negative when it is behind. */
  readonly clockSkewMs: number | null;
  readonly isCloned: boolean;
  /** True when it runs an older config than the stored one. */
  readonly isConfigBehind: boolean;
  readonly config: SeenConfig | undefined;
  /** When the newest of its versions came, by the store's clock; null when none was seen. */
  readonly storedAt: Date | null;
  /** URL of the store where its config sends archives, when that is not the one of the fleet: what it stores is not looked at. */
  readonly storedElsewhere: string | null;
  /** The sources of its heartbeat. */
  readonly sources: readonly SourceStatus[];
  /** The heartbeat as it was sent; undefined when none could be read. */
  readonly heartbeat: Heartbeat | undefined;
  /** Problems that somebody should know, as sentences; empty when all is well. */
  readonly troubles: readonly string[];
}

export interface JudgeOptions {
  /** By the store's clock. */
  readonly now: Date;
  readonly thresholdMs: number;
  /** True when two instances of it alternated lately. */
  readonly isCloned: boolean;
}

type ReadHeartbeat = Extract<SeenHeartbeat, { readonly kind: 'read' }>;

const skewOf = ({ heartbeat, putAt }: ReadHeartbeat): number => Date.parse(heartbeat.checkedInAt) - putAt.getTime();

/** Returns when its latest cycle began, in ms by the store's clock, less a margin. */
export const cycleStartOf = (seen: ReadHeartbeat): number =>
  Date.parse(seen.heartbeat.cycle.startedAt) - skewOf(seen) - CONFIG_MARGIN_MS;

/** Judges a writer. */
export function judgeWriter(observed: WriterObservation, judging: JudgeOptions): WriterStatus {
  const { writerId, seen, config, stored } = observed;
  const { now, thresholdMs, isCloned } = judging;
  const cadence = cadenceOf(observed, thresholdMs);
  const base = { ...NOTHING, ...cadence, writerId, config, ...whereStored(stored) };
  const nowMs = now.getTime();
  if (seen.kind === 'none') {
    const since = config === undefined ? '' : `: its config was put ${spanText(nowMs - config.putAt.getTime())} ago`;
    return { ...base, ...sameWord('missing'), troubles: [`it has never checked in${since}`] };
  }
  const checkedInAt = seen.putAt ?? null;
  const ageMs = checkedInAt === null ? null : Math.max(0, nowMs - checkedInAt.getTime());
  const when = { checkedInAt, ageMs };
  if (seen.kind === 'unreadable')
    return {
      ...base,
      ...sameWord('unknown'),
      ...when,
      troubles: [shown(seen.reason + storedText(base.storedAt, nowMs))],
    };
  const { heartbeat } = seen;
  const clockSkewMs = skewOf(seen);
  const doubt = doubtOf(seen, nowMs);
  const told = { ...base, ...when, clockSkewMs, heartbeat, isCloned };
  if (doubt !== undefined) return { ...told, ...sameWord('unknown'), troubles: [doubt] };
  const { staleAfterMs } = cadence;
  const clocks = { nowMs, skewMs: clockSkewMs, staleAfterMs };
  const sources = sourcesOf(heartbeat, stored, clocks);
  const unbacked = unbackedOf(sources, stored, clocks);
  const isHealthy = healthOf(heartbeat);
  const freshness = (ageMs ?? 0) > staleAfterMs ? 'stale' : unbacked === undefined ? 'fresh' : 'unknown';
  const { lastSuccessAt: success } = heartbeat;
  const status = {
    ...told,
    freshness,
    condition: freshness !== 'fresh' ? freshness : isHealthy === null ? 'starting' : isHealthy ? 'healthy' : 'failing',
    isHealthy,
    sources,
    lastSuccessAt: success === null ? null : new Date(Date.parse(success) - clockSkewMs),
    isConfigBehind: isBehind(seen, config),
  } as const;
  const ofStore = {
    unbacked,
    staleSources: freshness === 'stale' ? undefined : staleSources(sources, clocks),
    slower: slowerThanConfig(heartbeat, cadence),
  };
  return { ...status, troubles: troublesOf(status, heartbeat, ofStore) };
}

const NOTHING = {
  isHealthy: null,
  checkedInAt: null,
  ageMs: null,
  lastSuccessAt: null,
  clockSkewMs: null,
  isCloned: false,
  isConfigBehind: false,
  sources: [],
  heartbeat: undefined,
} as const;

const whereStored = (stored: SeenStore | undefined): Pick<WriterStatus, 'storedAt' | 'storedElsewhere'> => ({
  storedAt: newestStored(stored),
  storedElsewhere: stored?.kind === 'elsewhere' ? stored.url : null,
});

const storedText = (storedAt: Date | null, nowMs: number): string =>
  storedAt === null ? '' : `; its newest version came ${spanText(nowMs - storedAt.getTime())} ago`;

const sameWord = <T extends Freshness & Condition>(word: T): { readonly freshness: T; readonly condition: T } => ({
  freshness: word,
  condition: word,
});

/** Returns why nothing can be concluded from the heartbeat; undefined when it is plausible. */
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

function healthOf({ cycle, problem, sources, findings = [] }: Heartbeat): boolean | null {
  if (findings.length > 0) return false;
  if (cycle.isHealthy === null) return problem === null ? null : false;
  return cycle.isHealthy && sources.length > 0 && sources.every(({ isHealthy }) => isHealthy !== false);
}

function isBehind(seen: ReadHeartbeat, config: SeenConfig | undefined): boolean {
  const { configVersion } = seen.heartbeat;
  if (config?.version === undefined || configVersion === null) return false;
  return configVersion < config.version && config.putAt.getTime() < cycleStartOf(seen);
}

type RunOutcome = Omit<WriterStatus, 'troubles'>;

/** Sentences about what the store shows, by what they are about. */
type OfStore = Readonly<Record<'unbacked' | 'staleSources' | 'slower', string | undefined>>;

function troublesOf(status: RunOutcome, heartbeat: Heartbeat, ofStore: OfStore): readonly string[] {
  const { freshness, ageMs, staleAfterMs, clockSkewMs, isCloned, isConfigBehind, config } = status;
  const { configError, configVersion } = heartbeat;
  const skewMs = clockSkewMs ?? 0;
  const sentenceIf = (isSo: boolean, sentence: string): string | undefined => (isSo ? sentence : undefined);
  const sentences = {
    stale: sentenceIf(
      freshness === 'stale',
      `it checked in ${spanText(ageMs ?? 0)} ago, and ${spanText(staleAfterMs)} are allowed`,
    ),
    unbacked: ofStore.unbacked,
    // A problem in a successful cycle is a warning: a clone, or a key of the config that is not obeyed.
    failed: hasFailed(heartbeat) ? failureOf(heartbeat) : (heartbeat.problem ?? undefined),
    staleSources: ofStore.staleSources,
    slower: ofStore.slower,
    cloned: sentenceIf(
      isCloned,
      'two instances of it take turns: the machine was cloned, or two agents have its credentials',
    ),
    skew: sentenceIf(skewMs < -TOLERANCE_MS, `its clock is ${spanText(-skewMs)} behind the store's`),
    // When there is no config to continue with, this is already reported as its problem.
    refused: sentenceIf(
      configError !== null && configError !== heartbeat.problem && !tellsOf(heartbeat, 'config-refused'),
      `it does not take the config that lies there for it: ${configError}`,
    ),
    behind: sentenceIf(isConfigBehind, `it runs config ${configVersion}, and ${config?.version} lies there for it`),
  };
  return [...Object.values(defined(sentences)), ...findingsText(heartbeat)].map(shown);
}

/** Limit of findings that are told; the JSON has all. */
const TOLD_FINDINGS = 5;

function findingsText({ findings = [] }: Heartbeat): readonly string[] {
  const more = findings.length - TOLD_FINDINGS;
  const told = findings.slice(0, TOLD_FINDINGS).map(({ detail }) => detail);
  return more > 0 ? [...told, `and ${more} more findings`] : told;
}

const tellsOf = ({ findings = [] }: Heartbeat, kind: FindingKind): boolean =>
  findings.some((finding) => finding.kind === kind);

/** True when its latest cycle failed, findings aside. */
const hasFailed = (heartbeat: Heartbeat): boolean => healthOf({ ...heartbeat, findings: [] }) === false;

/** Describes the failure of its latest cycle; undefined where findings tell of every source that failed. */
function failureOf({ problem, sources, findings = [] }: Heartbeat): string | undefined {
  const failed = sources.filter((source) => source.isHealthy === false);
  const [first, ...others] = failed.filter(({ path }) => !findings.some(({ source }) => source === path));
  if (first === undefined && failed.length > 0) return undefined;
  if (first === undefined)
    return problem ?? `its last cycle failed${sources.length === 0 ? ': it has no sources' : ''}`;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const source = `source ${first.path} failed${more}: ${first.error ?? 'it does not say why'}`;
  // The agent's own sentence about its cycle begins with the same reason.
  return problem === null || (first.error !== null && problem.includes(first.error)) ? source : `${problem}; ${source}`;
}

/** Cleans and shortens text from a writer, which may be anything of any length. */
const shown = (text: string): string => printable(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** True when somebody has to look at the writer. */
export const needsAttention = ({ troubles }: Pick<WriterStatus, 'troubles'>): boolean => troubles.length > 0;
