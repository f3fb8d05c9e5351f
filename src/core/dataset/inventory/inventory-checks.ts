// What checks say of the uploads of an inventory. Their keys are listed with the records; each check is read once.
import { judgeChecks, type JudgedChecks } from '../checks/judge-checks.js';
import { checkKey, type CheckPlace } from '../records/check-key.js';
import { newestFirst, newestOfEach, type ReadCheck, readPlaces } from '../checks/read-checks.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { StoredUpload } from './stored-upload.js';

/** The checks of one store, as they were read. */
export class InventoryChecks {
  private known = new Map<string, ReadCheck>();
  /** What was said of each record last, with the keys that it was said by. */
  private judged = new Map<string, { readonly keys: string; readonly said: JudgedChecks }>();

  /** Reads checks that are new. Those that cannot be read say nothing. @throws what the store throws */
  async read(
    reader: ObjectReader,
    listed: ReadonlyMap<string, readonly CheckPlace[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const wanted = [...listed.values()].flatMap((places) => newestFirst(places).filter(newestOfEach()));
    const news = wanted.filter((place) => !this.known.has(checkKey(place)));
    const { checks } = await readPlaces(reader, news, signal);
    const read = new Map(checks.map((check) => [checkKey(check.place), check]));
    const keys = wanted.map(checkKey);
    this.known = new Map(
      keys.flatMap((key) => {
        const check = this.known.get(key) ?? read.get(key);
        return check === undefined ? [] : [[key, check] as const];
      }),
    );
  }

  /** What they say of an upload: the same object as before when no check has come or gone. */
  of({ id, datasetId, record }: StoredUpload): JudgedChecks | null {
    if (record === null) return null;
    const its = [...this.known].filter(([, check]) => check.datasetId === datasetId);
    const keys = its.map(([key]) => key).join();
    const before = this.judged.get(id);
    if (before?.keys === keys) return before.said;
    const newest = its.map(([, check]) => check).toSorted((a, b) => Date.parse(b.endedAt) - Date.parse(a.endedAt));
    const said = judgeChecks(newest, record.uploadId);
    this.judged.set(id, { keys, said });
    return said;
  }
}
