// Words for snapshots that several displays share.
import { OPERATIONS, type OperationKind } from '../../stores/operations.js';
import type { Retrying, TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { formatDuration } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';

const TROUBLES = { unreachable: 'unreachable', busy: 'busy', failed: 'answered with a failure' } as const;

/** "store unreachable, try 3 of 10 in 4s". */
export function retryText({ service, trouble, tryNumber, maxTries, waitLeftMs }: Retrying): string {
  const wait = waitLeftMs > 0 ? ` in ${formatDuration(waitLeftMs)}` : '';
  return `${service} ${TROUBLES[trouble]}, try ${tryNumber} of ${maxTries}${wait}`;
}

/** The words of the operation; undefined before it has begun. */
export const kindOf = ({ operation }: TransferSnapshot): OperationKind | undefined =>
  operation === undefined ? undefined : OPERATIONS[operation];

/** The activity in this phase, such as "writing the manifest". */
export function phaseText(snapshot: TransferSnapshot): string {
  const { phase } = snapshot;
  if (phase === 'starting' || phase === 'thawing' || phase === 'done') return phase;
  return kindOf(snapshot)?.phases[phase]?.doing ?? phase;
}

/** The rates, each with its verb: `read`, `sent`. */
export function ratesOf(snapshot: TransferSnapshot): readonly { readonly verb: string; readonly perSecond: number }[] {
  const moves = kindOf(snapshot)?.moves;
  if (moves === undefined || snapshot.bytesTotal === 0) return [];
  const phase = snapshot.phase === 'reading' ? kindOf(snapshot)?.phases.reading : undefined;
  const raw = { verb: phase?.raw ?? moves.raw, perSecond: snapshot.bytesPerSecond };
  return moves.stored === undefined ? [raw] : [raw, { verb: moves.stored, perSecond: snapshot.storedBytesPerSecond }];
}

/** "$1.20 a month at most, requests of this run less than $0.01"; undefined when no cost is known. */
export const plannedCostText = ({ cost }: TransferSnapshot): string | undefined =>
  cost && `${formatUsd(cost.monthlyUsd)} a month at most, requests of this run ${formatUsd(cost.requestsUsd)}`;
