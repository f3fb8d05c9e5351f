// Computes how fast uploads reached a kind of store, from a ledger alone; nothing is sent.
import { type LedgerRecord, UPLOADS } from './record.js';

/** Smaller uploads measure the latency of requests rather than the throughput. */
const LEAST_BYTES = 8 * 2 ** 20;
/** Only the latest uploads are counted, because networks change. */
const UPLOADS_COUNTED = 10;

export interface SendingRate {
  readonly bytesPerSecond: number;
  /** Region of the uploads; null when they went to several, or to servers without one. */
  readonly region: string | null;
  readonly uploads: number;
  /** Times of the first and the last of these uploads, ISO 8601 in UTC. */
  readonly from: string;
  readonly until: string;
}

/**
 * Returns the rate of the latest uploads to AWS in this region (or in any, when there are none), or to other servers; undefined when there
 * are none of 8 MiB or more.
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
