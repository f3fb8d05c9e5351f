// What checks say of the uploads of an inventory. Their keys are listed with the records; each check is read once.
import { judgeChecks, type JudgedChecks } from '../checks/judge-checks.js';
import { checkKey, type CheckPlace } from '../records/check-key.js';
import { type ReadCheck, readPlaces, tellingChecks } from '../checks/read-checks.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { StoredUpload } from './stored-upload.js';

/** The checks of one store, as they were read. */
export class InventoryChecks {
  private known = new Map<string, ReadCheck>();
  /** What the checks of each dataset say, with their keys. */
  private judged = new Map<string, { readonly keys: string; readonly of: ReturnType<typeof judgeChecks> }>();

  /** Reads checks that are new. Those that cannot be read say nothing. @throws what the store throws */
  async read(
    reader: ObjectReader,
    listed: ReadonlyMap<string, readonly CheckPlace[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const wanted = [...listed.values()].flatMap(tellingChecks);
    const news = wanted.filter((place) => !this.known.has(checkKey(place)));
    const { checks } = await readPlaces(reader, news, signal);
    const read = new Map(checks.map((check) => [checkKey(check.place), check]));
    const known = wanted.flatMap((place) => {
      const check = this.known.get(checkKey(place)) ?? read.get(checkKey(place));
      return check === undefined ? [] : [check];
    });
    this.known = new Map(known.map((check) => [checkKey(check.place), check]));
    const its = listsByKey(known, ({ datasetId }) => datasetId);
    this.judged = new Map(Array.from(its, ([datasetId, checks]) => [datasetId, this.judgedBy(datasetId, checks)]));
  }

  private judgedBy(datasetId: string, checks: readonly ReadCheck[]) {
    const keys = checks.map(({ place }) => checkKey(place)).join();
    const before = this.judged.get(datasetId);
    if (before?.keys === keys) return before;
    return { keys, of: judgeChecks(checks.toSorted((a, b) => Date.parse(b.endedAt) - Date.parse(a.endedAt))) };
  }

  /** What they say of an upload: the same object as before when no check of its dataset has come or gone. */
  of({ datasetId, record }: StoredUpload): JudgedChecks | null {
    if (record === null) return null;
    return this.judged.get(datasetId)?.of(record.uploadId) ?? UNCHECKED;
  }
}

const UNCHECKED: JudgedChecks = { failure: undefined, sound: {} };
