// How fast this computer's uploads reached a kind of store, from what the ledger recorded of them. Nothing is sent to find out.
import { type LedgerRecord, UPLOADS } from './record.js';

/** What is smaller says how long a request takes, not how much goes through. */
const LEAST_BYTES = 8 * 2 ** 20;
/** The last ones: networks change. */
const UPLOADS_COUNTED = 10;

export interface SendingRate {
  readonly bytesPerSecond: number;
  /** Whose region it is; null where they went to several, or to servers without one. */
  readonly region: string | null;
  readonly uploads: number;
  /** Those of the first and the last one, ISO 8601 in UTC. */
  readonly from: string;
  readonly until: string;
}

/**
 * The rate of the last uploads to AWS in this region (in any, where there are none), or to other servers; undefined where
 * there are none of 8 MiB or more.
 */
export function sendingRate(
  records: readonly LedgerRecord[],
  { isAws, region }: { readonly isAws: boolean; readonly region: string | null },
): SendingRate | undefined {
  const all = records.filter(
    (record) =>
      UPLOADS.includes(record.operation) && record.provider === (isAws ? 'aws' : 'other') && isMeasured(record),
  );
  const near = all.filter((record) => isAws && record.region === region);
  const counted = (near.length === 0 ? all : near).slice(-UPLOADS_COUNTED);
  const [first, last] = [counted[0], counted.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const sum = (key: 'bytes' | 'ms'): number => counted.reduce((total, { sent }) => total + (sent?.[key] ?? 0), 0);
  return {
    bytesPerSecond: (sum('bytes') / sum('ms')) * 1000,
    region: counted.every((record) => record.region === first.region) ? first.region : null,
    uploads: counted.length,
    from: first.time,
    until: last.time,
  };
}

const isMeasured = ({ sent }: LedgerRecord): boolean => sent !== null && sent.ms > 0 && sent.bytes >= LEAST_BYTES;
