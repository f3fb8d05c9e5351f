// What AWS asks for, in us-west-2: prices and rules of its price sheet, as a person reads them. Imports nothing of ours, as `sheet.ts`.

const GB = 2 ** 30;
const KB = 1024;
export const DAY_MS = 86_400_000;
/** Days in a month that fees and copies are priced by. */
const PRICED_MONTH = 30;

/** us-west-2, in USD: for a GB and month, for 1000 requests, for a GB that is retrieved; days that an object is paid for at least. */
const SHEET = {
  STANDARD: { month: 0.023, put: 0.005, get: 0.0004, out: 0, days: 0, least: 0, beside: 0 },
  STANDARD_IA: { month: 0.0125, put: 0.01, get: 0.001, out: 0.01, days: 30, least: 128 * KB, beside: 0 },
  GLACIER_IR: { month: 0.004, put: 0.02, get: 0.01, out: 0.03, days: 90, least: 128 * KB, beside: 0 },
  GLACIER: { month: 0.0036, put: 0.03, get: 0.0004, out: 0, days: 90, least: 0, beside: 32 * KB },
  DEEP_ARCHIVE: { month: 0.00099, put: 0.05, get: 0.0004, out: 0, days: 180, least: 0, beside: 32 * KB },
} as const;
/** What cold classes keep beside an object in STANDARD. */
const INDEX_BYTES = 8 * KB;
const LIST = 0.005;
const INTERNET = 0.09;
/** A GB that is thawed, and 1000 requests for it. */
const THAW = {
  GLACIER: { bulk: { perGB: 0, per1000: 0 }, standard: { perGB: 0.01, per1000: 0.05 } },
  DEEP_ARCHIVE: { bulk: { perGB: 0.0025, per1000: 0.025 }, standard: { perGB: 0.02, per1000: 0.1 } },
} as const;

export type StorageClass = keyof typeof SHEET;
export type ColdClass = keyof typeof THAW;
export const isCold = (storageClass: StorageClass): storageClass is ColdClass => Object.hasOwn(THAW, storageClass);
export const CLASSES = Object.keys(SHEET) as readonly StorageClass[];

export interface StoredObject {
  readonly key: string;
  readonly uploadId: string;
  /** That the upload was made for; the upload id where it has none. */
  readonly project: string;
  readonly storageClass: StorageClass;
  readonly sizeBytes: number;
  /** When it was written, ms since 1970. */
  readonly bornMs: number;
}

export type Request =
  | { readonly kind: 'put' | 'get' | 'list'; readonly storageClass: StorageClass; readonly count: number }
  /** Bytes that left the store. */
  | { readonly kind: 'out'; readonly storageClass: StorageClass; readonly bytes: number }
  | {
      readonly kind: 'thaw';
      readonly key: string;
      readonly storageClass: ColdClass;
      readonly bytes: number;
      readonly days: number;
      readonly tier: 'bulk' | 'standard';
    };

/** An amount that was charged once. */
export interface Charge {
  readonly item: string;
  readonly project: string | null;
  readonly storageClass: string | null;
  readonly micros: number;
}

/** The bytes that an object is billed for, by the class that they are billed in. */
export function billedOf({ storageClass, sizeBytes }: StoredObject): readonly (readonly [StorageClass, number])[] {
  const { least, beside } = SHEET[storageClass];
  const own = [storageClass, Math.max(sizeBytes, least) + beside] as const;
  return isCold(storageClass) ? [own, ['STANDARD', INDEX_BYTES]] : [own];
}

/** What a month of so many bytes costs. */
export const monthUsd = (storageClass: StorageClass, bytes: number): number => (bytes / GB) * SHEET[storageClass].month;

const up = (usd: number): number => Math.max(0, Math.ceil(usd * 1e6 - 0.01));

export function chargesOf(project: string | null, requests: readonly Request[]): readonly Charge[] {
  const sums = new Map<string, number>();
  const add = (item: string, storageClass: string | null, usd: number): void => {
    const name = JSON.stringify([item, storageClass]);
    sums.set(name, (sums.get(name) ?? 0) + usd);
  };
  for (const one of requests) {
    const { storageClass } = one;
    if (one.kind === 'out') {
      add('transfer', null, (one.bytes / GB) * INTERNET);
      if (!isCold(storageClass) && storageClass !== 'STANDARD')
        add('retrieval', storageClass, (one.bytes / GB) * SHEET[storageClass].out);
    } else if (one.kind === 'thaw') {
      const { perGB, per1000 } = THAW[one.storageClass][one.tier];
      add('requests', storageClass, per1000 / 1000);
      add('retrieval', storageClass, (one.bytes / GB) * perGB);
      add('temporaryCopy', 'STANDARD', (Math.round((one.bytes * one.days) / PRICED_MONTH) / GB) * SHEET.STANDARD.month);
    } else
      add('requests', storageClass, (one.count / 1000) * (one.kind === 'list' ? LIST : SHEET[storageClass][one.kind]));
  }
  return [...sums].map(([name, usd]) => {
    const [item, storageClass] = JSON.parse(name) as [string, string | null];
    return { item, project, storageClass, micros: up(usd) };
  });
}

/** Fees for what was deleted before the days that its class is paid for, by upload and class. */
export function feesOf(removed: readonly StoredObject[], atMs: number): readonly Charge[] {
  return [...listsBy(removed, ({ uploadId, storageClass }) => `${uploadId} ${storageClass}`).values()].map((own) => {
    const [{ project, storageClass }] = own as [StoredObject, ...StoredObject[]];
    const usd = own.map((object) => {
      const left = Math.max(0, SHEET[storageClass].days - (atMs - object.bornMs) / DAY_MS);
      return (sumOf(billedOf(object).map(([billed, bytes]) => monthUsd(billed, bytes))) * left) / PRICED_MONTH;
    });
    return { item: 'earlyDeletion', project, storageClass, micros: up(sumOf(usd)) };
  });
}

export const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

/** Lists items by a name, in their order. */
export function listsBy<T, N>(items: Iterable<T>, nameOf: (item: T) => N): ReadonlyMap<N, readonly T[]> {
  const lists = new Map<N, T[]>();
  for (const item of items) {
    const list = lists.get(nameOf(item)) ?? [];
    list.push(item);
    lists.set(nameOf(item), list);
  }
  return lists;
}
