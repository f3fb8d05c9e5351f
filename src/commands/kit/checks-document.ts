import type { JudgedChecks } from '../../core/dataset/checks/judge-checks.js';
import { tellingChecks } from '../../screens/check-texts.js';
import { partDocument } from './part.js';

/** The checks of a version as keys of JSON. */
export const checksDocument = (judged: JudgedChecks) =>
  tellingChecks(judged).map(({ kind, part, user, host, chunksCold, coverage, ...check }) => ({
    checkKind: kind,
    ok: check.ok,
    checked: check.checked,
    startedAt: check.startedAt,
    endedAt: check.endedAt,
    checkedBy: user === undefined ? host : `${user}@${host}`,
    tool: check.tool,
    ...partDocument(part),
    chunks: check.chunks,
    chunksRead: check.chunksRead,
    coldChunkCount: chunksCold,
    errorCount: check.errorCount,
    foundProblems: check.problems,
    ...(coverage === undefined
      ? {}
      : { provenDays: coverage.days, provenBytes: coverage.bytes, contentBytes: coverage.ofBytes }),
  }));
