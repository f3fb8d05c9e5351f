// Reports of an agent about its cycles: a line in its log, a JSON object, and the final result.
import { formatTimestamp } from '../../../ui/format-time.js';
import type { EndedAgentCycle } from '../../../core/fleet/agent/agent.js';
import type { SourceOutcome } from '../../../core/fleet/agent/cycle.js';
import { isArchiverError } from '../../../core/platform/failures/errors.js';
import {
  findingDocument,
  type HeartbeatSource,
  type ReadFinding,
  sourceDocument,
} from '../../../core/fleet/heartbeat.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { leftOutText } from '../../../screens/progress/problem-lines.js';
import { formatBytes, formatDuration, formatQuantity } from '../../../ui/format.js';
import { textOf } from '../../kit/lines.js';

interface Shape {
  readonly manifestCache: boolean;
}

/** The log line of a cycle. */
export function cycleLine({ heartbeat, outcomes, nextMs }: EndedAgentCycle, shape: Shape): string {
  const { cycle, sources, configVersion } = heartbeat;
  const took = Date.parse(cycle.endedAt ?? cycle.startedAt) - Date.parse(cycle.startedAt);
  const config = configVersion === null ? '' : `config ${configVersion}; `;
  const ended = outcomes.map((outcome) => sourceText(outcome, sources, shape)).join('; ');
  const next = nextMs === undefined ? '' : `; next at ${formatTimestamp(new Date(nextMs))}`;
  const verdict = cycle.isHealthy === true ? 'cycle done' : 'cycle failed';
  const archived = ended === '' ? 'nothing was archived' : ended;
  return printable(`${verdict} in ${formatDuration(took)}: ${config}${archived}${next}`);
}

function sourceText(
  { source, result }: SourceOutcome,
  sources: readonly HeartbeatSource[],
  { manifestCache }: Shape,
): string {
  const told = sources.find(({ path }) => path === source.path);
  if (result === undefined || told === undefined) return `${source.path} failed`;
  const left = result.skipped.length === 0 ? '' : `, ${leftOutText(result.skipped)}`;
  if (told.noChanges) return `${source.path} no changes since v${told.version}${left}`;
  const { added, modified, deleted, storedBytes } = told;
  const counts = `${added} added, ${modified} modified, ${deleted} deleted`;
  const isAgain = told.comparedWith === 'none' && (told.version ?? 1) > 1;
  const why = manifestCache ? 'no version is remembered here' : '--no-manifest-cache';
  const again = isAgain ? `, all ${formatBytes(told.bytes)} sent again (${why})` : '';
  return `${source.path} v${told.version}, ${counts}, ${formatBytes(storedBytes)} stored${again}${left}`;
}

/** The JSON of a cycle, for --progress-format json, and for services with --json. */
export const cycleObject = ({ heartbeat, nextMs }: EndedAgentCycle) => ({
  type: 'cycle',
  time: heartbeat.cycle.endedAt,
  ...partsOf(heartbeat),
  nextCycleAt: nextMs === undefined ? null : new Date(nextMs).toISOString(),
});

function partsOf(heartbeat: EndedAgentCycle['heartbeat']) {
  const { configVersion, lastSuccessAt, cycle, sources, findings = [] } = heartbeat;
  const { startedAt, endedAt, isHealthy } = cycle;
  return {
    configVersion,
    isHealthy,
    lastSuccessAt,
    startedAt,
    // A cycle that is reported has ended.
    endedAt: endedAt ?? undefined,
    sourceCycles: sources.map(sourceDocument),
    writerFindings: findings.map(findingDocument),
    troubles: troublesOf(heartbeat),
  };
}

/** Troubles that need attention. */
export function troublesOf({ configError, problem, findings = [] }: EndedAgentCycle['heartbeat']): readonly string[] {
  // What made a source fail is told by its failure, and a refused config by itself.
  const isTold = ({ kind, detail }: ReadFinding): boolean =>
    kind === 'config-refused' || problem?.includes(detail) === true;
  const told = findings.flatMap((finding) => (isTold(finding) ? [] : [finding.detail]));
  return [...new Set([configError, problem, ...told])].filter((text) => text !== null);
}

export interface AgentAbout {
  readonly writerId: string;
  readonly baseUrl: string;
  readonly cycles: number;
  readonly last: EndedAgentCycle | undefined;
}

const NO_CYCLE = {
  configVersion: null,
  isHealthy: null,
  lastSuccessAt: null,
  sourceCycles: [],
  writerFindings: [],
  troubles: [],
};

/** The JSON document of the result, with the last cycle. */
export const agentDocument = ({ writerId, baseUrl, cycles, last }: AgentAbout) => ({
  writerId,
  location: baseUrl,
  cycleCount: cycles,
  ...(last === undefined ? NO_CYCLE : partsOf(last.heartbeat)),
});

export const agentText = ({ writerId, cycles, last }: AgentAbout): string =>
  textOf([
    `writer ${writerId}: ${formatQuantity(cycles, 'cycle')}`,
    ...(last?.heartbeat.lastSuccessAt === undefined
      ? []
      : [`  last success  ${last.heartbeat.lastSuccessAt ?? 'never'}`]),
  ]);

const POLICY = 4;

/** The exit status of a run with a single cycle. */
export function exitStatus(last: EndedAgentCycle | undefined): number {
  return last === undefined || last.plan === undefined ? 1 : statusOf(last.outcomes, last.heartbeat.findings);
}

/** The exit status for the sources of a cycle, and for what was found. */
export function statusOf(outcomes: readonly SourceOutcome[], findings: readonly ReadFinding[] = []): number {
  const failures = outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  if (failures.length > 0) {
    const isPolicy = failures.every((failure) => isArchiverError(failure) && failure.exitCode === POLICY);
    return isPolicy ? POLICY : 1;
  }
  return findings.length > 0 || outcomes.some(({ result }) => result?.partial === true) ? 3 : 0;
}
