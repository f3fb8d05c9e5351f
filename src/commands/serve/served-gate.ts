// Asks budgets before content is fetched, for a run that fetches as long as others ask for it: for twice what it has come to, so that it asks
// seldom, or for just that much where twice as much is refused.
import type { Context } from '../../cli/context.js';
import type { RetrievalChunk, RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import type { ReadFileOptions } from '../../core/restore/listing/read-file.js';
import type { NeededChunk } from '../../core/restore/plan/needed-chunk.js';
import type { FoundFile } from '../../core/serve/served-tree.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { fetchEstimate } from '../kit/fetch-estimate.js';
import { retrievalGate } from '../kit/slots.js';

/** What is fetched, by storage class. */
type Amounts = ReadonlyMap<string, { readonly bytes: number; readonly gets: number }>;

/** Returns the check of each reading. @throws what keeps the content from being fetched */
export function servedGate(
  values: object,
  opened: OpenedStore,
  context: Context,
): (file: FoundFile) => ReadFileOptions['mayFetch'] {
  const uploads = new Map<string, FetchedOf>();
  return ({ version: { uploadId } }) => {
    const upload =
      uploads.get(uploadId) ??
      new FetchedOf(retrievalGate({ ...values }, uploadId, context), pricesOf(opened, context));
    uploads.set(uploadId, upload);
    // A reading says each time all that it has fetched and will fetch.
    let told: Amounts = new Map();
    return async (needed, project) => {
      const now = amountsOf(needed);
      await upload.add(differenceOf(now, told), project);
      told = now;
      return true;
    };
  };
}

/** What was fetched of an upload. */
class FetchedOf {
  private all: Amounts = new Map();
  private allowedUsd = -1;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly check: ReturnType<typeof retrievalGate>,
    private readonly estimate: (amounts: Amounts, times: number) => Promise<RetrievalEstimate>,
  ) {}

  /** Counts what a reading fetches, one after the other. @throws what keeps it from being fetched, which is then not counted */
  async add(more: Amounts, project: string | null): Promise<void> {
    const adding = this.last.then(() => this.addNow(more, project));
    this.last = adding.catch(() => undefined);
    await adding;
  }

  private async addNow(more: Amounts, project: string | null): Promise<void> {
    const all = sumOf(this.all, more);
    const exact = await this.estimate(all, 1);
    if (!(costOf(exact) <= this.allowedUsd)) {
      const ample = await this.estimate(all, 2);
      const allowed = await this.check({ ...ample, project }).then(
        () => ample,
        async (error: unknown) => {
          if (!isArchiverError(error, 'budget-exceeded')) throw error;
          await this.check({ ...exact, project });
          return exact;
        },
      );
      this.allowedUsd = costOf(allowed);
    }
    this.all = all;
  }
}

const costOf = ({ costUsd }: RetrievalEstimate): number => costUsd ?? Infinity;

const pricesOf =
  (opened: OpenedStore, context: Context) =>
  async (amounts: Amounts, times: number): Promise<RetrievalEstimate> => {
    const chunks = Array.from(amounts, ([storageClass, { bytes, gets }]): Omit<RetrievalChunk, 'isReadable'> => {
      const fetchedBytes = bytes * times;
      return { storageClass, sizeBytes: fetchedBytes, fetchedBytes, gets: gets * times };
    });
    return await fetchEstimate(chunks, opened, context);
  };

function amountsOf(needed: readonly NeededChunk[]): Amounts {
  const amounts = new Map<string, { bytes: number; gets: number }>();
  for (const { storageClass, fetchedBytes, gets } of needed) {
    const { bytes = 0, gets: before = 0 } = amounts.get(storageClass) ?? {};
    amounts.set(storageClass, { bytes: bytes + fetchedBytes, gets: before + gets });
  }
  return amounts;
}

function sumOf(a: Amounts, b: Amounts, sign: 1 | -1 = 1): Amounts {
  const sum = new Map(a);
  for (const [storageClass, { bytes, gets }] of b) {
    const before = sum.get(storageClass) ?? { bytes: 0, gets: 0 };
    sum.set(storageClass, { bytes: before.bytes + sign * bytes, gets: before.gets + sign * gets });
  }
  return sum;
}

const differenceOf = (now: Amounts, before: Amounts): Amounts => sumOf(now, before, -1);
