// Watches the sources of an agent from cycle to cycle: refuses what leads elsewhere, holds back what would be sent in full again, and
// collects findings. One source never keeps another from being archived.
import type { UploadResult } from '../../archive/upload-result.js';
import { ArchiverError, errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import type { Finding, ReadFinding } from '../heartbeat.js';
import type { AgentPlan, AgentSource } from './agent-plan.js';
import type { ArchiveSource, SourceOutcome } from './cycle.js';
import { movedText, type Place, placeOf } from './source-place.js';
import {
  emptyText,
  type Expected,
  finding,
  holdOf,
  oddities,
  rewrittenText,
  shrunkText,
  type Watched,
  watchedAfter,
} from './watched-source.js';

export interface SourceWatchOptions {
  /** Returns the address of the store that a plan sends to. */
  readonly storeOf: (plan: AgentPlan) => Promise<string>;
  /** True for an agent that cannot do else than send everything in each cycle. */
  readonly isResendExpected: boolean;
  readonly now: () => Date;
}

export interface WatchMemory {
  readonly watched: readonly Watched[];
  /** Findings of the last cycle. */
  readonly findings: readonly ReadFinding[];
}

const ANSWER = 'if it is as it should be: `archiver fleetagent adopt` on this machine, or a config of a higher version';

export class SourceWatch {
  private readonly watched: Map<string, Watched>;
  /** Findings that are made anew in each cycle. */
  private readonly passing = new Map<string, readonly ReadFinding[]>();

  constructor(
    { watched, findings }: WatchMemory,
    private readonly options: SourceWatchOptions,
  ) {
    this.watched = new Map(watched.map((one) => [one.path, one]));
    for (const { path, open } of watched) {
      const isOpen = (kind: string): boolean => open.some((one) => one.kind === kind);
      this.passing.set(
        path,
        findings.filter((one) => one.source === path && !isOpen(one.kind)),
      );
    }
  }

  /** All that is remembered. */
  list(): readonly Watched[] {
    return [...this.watched.values()];
  }

  /** Takes these sources as they are the next time, or all of them. */
  answer(paths: readonly string[] | null): void {
    for (const [path, one] of this.watched)
      if (paths?.includes(path) !== false) this.watched.set(path, { ...one, isAnswered: true });
  }

  /** Returns what was found of the sources, in their order. */
  findings(sources: readonly Pick<AgentSource, 'path'>[]): readonly ReadFinding[] {
    return sources.flatMap(({ path }) => [
      ...(this.watched.get(path)?.open ?? []).map(({ kind, detail }) => ({ kind, source: path, detail })),
      ...(this.passing.get(path) ?? []),
    ]);
  }

  /** Archives a source. @throws nothing: a failure is the outcome */
  async run(source: AgentSource, plan: AgentPlan, archive: ArchiveSource): Promise<SourceOutcome> {
    const found: Finding[] = [];
    try {
      return { source, result: await this.archive(source, plan, archive, found) };
    } catch (failure) {
      return { source, failure };
    } finally {
      this.passing.set(source.path, found);
    }
  }

  /** Archives a source; what is found on the way and passes goes into `found`. */
  private async archive(
    source: AgentSource,
    plan: AgentPlan,
    archive: ArchiveSource,
    found: Finding[],
  ): Promise<UploadResult> {
    const { isResendExpected, now, storeOf } = this.options;
    const { path } = source;
    const seen = this.watched.get(path);
    const isNewConfig = (plan.version ?? 0) > (seen?.configVersion ?? plan.version ?? 0);
    if (seen !== undefined && isNewConfig && this.findings([source]).length > 0) this.answer([path]);
    const before = this.watched.get(path);
    const place = await placeOf(path).catch((error: unknown) => {
      if (systemCode(error) === undefined) throw error;
      return undefined; // archiving it says why
    });
    const expected: Expected = {
      before,
      source,
      store: await storeOf(plan),
      isResendExpected,
      isNewConfig,
      now: now(),
    };
    refuseMoved(expected, place, found);
    const hold = isResendExpected || isNewConfig ? undefined : holdOf(before, expected.now);
    const result = await archive(source, plan, { mayResend: hold === undefined }).catch((failure: unknown) => {
      if (isArchiverError(failure, 'not-found') && place === undefined)
        found.push(finding('source-empty', source, 'the folder is gone'));
      if (isArchiverError(failure, 'mass-delete')) found.push(finding('source-shrunk', source, errorText(failure)));
      if (hold === undefined || !isArchiverError(failure, 'held')) throw failure;
      found.push(finding('held', source, `all of it would be sent again (${errorText(failure)})`));
      throw new ArchiverError('held', `it is held back, and would be sent in full again; before, ${hold}`, {
        hint: ANSWER,
      });
    });
    const empty = emptyText(expected, result);
    if (empty !== undefined) {
      found.push(finding('source-empty', source, empty));
      throw new ArchiverError('mass-delete', empty, { hint: `is its disk mounted? ${ANSWER}` });
    }
    const shrunk = shrunkText(expected, result);
    if (shrunk !== undefined) found.push(finding('source-shrunk', source, shrunk));
    const rewritten = rewrittenText(expected, result);
    if (rewritten !== undefined) found.push(finding('sent-again', source, rewritten));
    const configVersion = plan.version;
    const open = oddities(expected, result);
    const isAsItWas = shrunk === undefined;
    this.watched.set(
      path,
      watchedAfter(expected, result, { place: place ?? null, configVersion, isAsItWas, found: open }),
    );
    return result;
  }
}

/** @throws held when the path leads elsewhere than before, and nobody has allowed that */
function refuseMoved({ before, source }: Expected, now: Place | undefined, found: Finding[]): void {
  const was = before?.place ?? undefined;
  if (was === undefined || now === undefined || source.mayMove || before?.isAnswered === true) return;
  const moved = movedText(was, now);
  if (moved === undefined) return;
  found.push(finding('source-moved', source, `it ${moved}`));
  throw new ArchiverError('held', `it ${moved}; nothing was sent`, {
    hint: `${ANSWER}; \`may_move: true\` in it, with \`allow_scope_expansion: true\`, allows it for good`,
  });
}
