// Asks a store whether it keeps If-None-Match: two PUTs in a row at a fresh key, of which it must refuse the second, and then
// races of eight at once, each at a fresh key, of which it must accept exactly one. Some servers keep it in a row and not in a
// race, and then not in every race; so those that are not AWS itself are asked more than once.
//
// What the probe puts is a few bytes each in the folder of the upload that is about to begin: the place that matters, with the
// rights that matter, where prune sweeps what these credentials may not delete.
import { errorText, isArchiverError } from '../failures/errors.js';
import type { ObjectStore } from '../object-store/object-store.js';
import { isUncertainConflict, StoreError, throwIfCancelled } from '../object-store/store-error.js';
import { printable } from '../paths/raw-path.js';
import type { CreateOnceAnswer } from './answer.js';
import { probeKey } from './probe-key.js';

export interface ProbeOptions {
  /** Where the probe puts, with a slash at its end. */
  readonly folder: string;
  /** Names what nobody has put yet. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly isAws: boolean;
  readonly signal: AbortSignal;
}

export type Probed = Pick<CreateOnceAnswer, 'kind' | 'seen'>;

const RIVALS = 8;
const RACES_OF_AWS = 1;
/** s3s-fs, which lets rivals in where they overlap, passed four races in 16 of 30 tries on a busy machine, and 16 in 7 of 40. */
const RACES_OF_OTHERS = 16;
/** Races that told nothing, because answers were lost. */
const LOST_RACES = 3;
const CLEAN_UP_MS = 5000;
const BODY = Buffer.from('archiver asks whether this store keeps If-None-Match\n');

const plain = (seen: string): Probed => ({ kind: 'plain', seen });

/** Asks. @throws what keeps the question from being answered: nothing is known then */
export async function probeCreateOnce(store: ObjectStore, options: ProbeOptions): Promise<Probed> {
  const probe = new Probe(store, options);
  try {
    return (await probe.inRow()) ?? (await probe.races()) ?? { kind: 'create-once', seen: 'it refused what it had to' };
  } catch (error) {
    throwIfCancelled(options.signal);
    if (!isArchiverError(error)) throw error;
    const what = `whether ${printable(store.url)} keeps If-None-Match could not be found out: ${error.message}`;
    const { code, hint, exitCode } = error;
    const isRefused = error instanceof StoreError && error.isRefused;
    throw new StoreError(code, what, { hint, exitCode, isRefused, cause: error });
  } finally {
    await probe.cleanUp();
  }
}

/** `unsure`: refused, but after a request whose answer was lost, and which may have been the one that was accepted. */
type Outcome = 'accepted' | 'refused' | 'unsure';

class Probe {
  private readonly keys: string[] = [];

  constructor(
    private readonly store: ObjectStore,
    private readonly options: ProbeOptions,
  ) {}

  private freshKey(): string {
    const key = probeKey(this.options.folder, this.options.randomBytes);
    this.keys.push(key);
    return key;
  }

  private async put(key: string): Promise<Outcome> {
    try {
      await this.store.put(key, BODY, { ifAbsent: true, signal: this.options.signal });
      return 'accepted';
    } catch (error) {
      if (!isArchiverError(error, 'conflict') || (error instanceof StoreError && error.retriable)) throw error;
      return isUncertainConflict(error) ? 'unsure' : 'refused';
    }
  }

  /** Undefined where both are answered as they should be. */
  async inRow(): Promise<Probed | undefined> {
    const key = this.freshKey();
    let first: Outcome;
    try {
      first = await this.put(key);
    } catch (error) {
      if (!isArchiverError(error, 'unsupported')) throw error;
      // Whether it is the condition that it does not know.
      await this.store.put(this.freshKey(), BODY, { signal: this.options.signal });
      return plain(`it does not know If-None-Match (${error instanceof StoreError ? error.reason : error.code})`);
    }
    if (first === 'refused') return plain('it refused the first object of a key with If-None-Match');
    if ((await this.put(key)) === 'accepted') return plain('it overwrote an object in spite of If-None-Match');
    return undefined;
  }

  /** Undefined where each has one winner. */
  async races(): Promise<Probed | undefined> {
    let wanted = this.options.isAws ? RACES_OF_AWS : RACES_OF_OTHERS;
    let lost = 0;
    while (wanted > 0) {
      const outcomes = await this.race();
      const winners = outcomes.filter((outcome) => outcome === 'accepted').length;
      if (winners > 1) return plain(`of ${RIVALS} rivals at one key it accepted ${winners}`);
      if (!outcomes.includes('unsure')) {
        if (winners === 0) return plain(`of ${RIVALS} rivals at one key it accepted none`);
        wanted -= 1;
      } else if (++lost > LOST_RACES) {
        throw new StoreError('store', 'answers of the store were lost again and again', { retriable: true });
      }
    }
    return undefined;
  }

  private async race(): Promise<readonly Outcome[]> {
    const key = this.freshKey();
    const settled = await Promise.allSettled(Array.from({ length: RIVALS }, () => this.put(key)));
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  /** What may not be deleted stays: prune sweeps it with what its upload leaves. */
  async cleanUp(): Promise<void> {
    const late = AbortSignal.timeout(CLEAN_UP_MS);
    await this.store.delete(this.keys, late).catch((error: unknown) => errorText(error));
  }
}
