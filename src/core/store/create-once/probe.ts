// Asks a store whether it keeps If-None-Match: two PUTs in a row at a fresh key, of which it must refuse the second, and then races of
// eight at once, each at a fresh key, of which it must accept exactly one. Some servers keep it in a row and not in a race: they check when
// a request begins, and put when it ends. So in each race all rivals send all but the last byte of their bodies before any sends that.
// Requests that a proxy in between buffers overlap only by chance: stores other than AWS itself are asked more than once.
//
// The probe puts objects of 16 KiB in the folder of the upload that is about to begin: the place that matters, with the rights that matter,
// where prune sweeps what these credentials may not delete.
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import { PACED_SLICE_BYTES, type Pace } from '../../platform/limits/pace.js';
import type { ObjectDeleter, ObjectStore } from '../object-store.js';
import { isRetriable, isUncertainConflict, StoreError, throwIfCancelled } from '../store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { CreateOnceAnswer } from './answer.js';
import { probeKey } from './probe-key.js';

export interface ProbeOptions {
  /** Folder where the probe puts objects, with a slash at its end. */
  readonly folder: string;
  /** Random bytes for keys that nobody has put yet. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly isAws: boolean;
  /** Deletes the objects of the probe. */
  readonly deleter: ObjectDeleter;
  readonly signal: AbortSignal;
}

export type Probed = Pick<CreateOnceAnswer, 'kind' | 'seen'>;

const RIVALS = 8;
const RACES_OF_AWS = 1;
const RACES_OF_OTHERS = 4;
/** Most races that may be inconclusive because answers were lost. */
const LOST_RACES = 3;
const CLEAN_UP_MS = 5000;
const TEXT = 'archiver asks whether this store keeps If-None-Match\n';
/** Two slices, of which the second is a byte. */
const BODY = Buffer.alloc(PACED_SLICE_BYTES + 1, TEXT);
/** Longest wait for the other rivals, in case that there are fewer connections, or some are answered early. */
const LINE_MS = 2000;

const plain = (seen: string): Probed => ({ kind: 'plain', seen });

/** Asks the store. @throws what keeps the question from being answered: nothing is known then */
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
    throw new StoreError(code, what, { hint, exitCode, isRefused, retriable: isRetriable(error), cause: error });
  } finally {
    await probe.cleanUp();
  }
}

/** `unsure`: refused, but on a repeated request; the first one, whose answer was lost, may have been accepted. */
type Outcome = 'accepted' | 'refused' | 'unsure';

interface Rival {
  /** Lets all but the last slice of the body pass at once, and the last one when every rival has come so far. */
  readonly pace: Pace;
  /** Called when the rival was answered, so that the others do not wait for it. */
  readonly leave: () => void;
}

/** The line that rivals wait at until all are there, and `settleMs` longer. */
function finishLine(rivals: number, settleMs: number): () => Rival {
  const line = new AbortController();
  let missing = rivals;
  return () => {
    let isHere = false;
    const arrive = (): void => {
      if (!isHere && --missing === 0) setTimeout(() => line.abort(), settleMs);
      isHere = true;
    };
    const pace: Pace = async (bytes, gone) => {
      if (bytes === PACED_SLICE_BYTES) return;
      arrive();
      if (line.signal.aborted) return;
      await sleep(LINE_MS, undefined, { signal: AbortSignal.any([line.signal, ...(gone ? [gone] : [])]) }).catch(
        ignore,
      );
    };
    return { pace, leave: arrive };
  };
}

/** Ignores the end of a wait: everybody is there, or the connection is gone. */
function ignore(): void {}

class Probe {
  private readonly keys: string[] = [];
  /** How long the slowest PUT without rivals took. */
  private putMs = 0;

  constructor(
    private readonly store: ObjectStore,
    private readonly options: ProbeOptions,
  ) {}

  private freshKey(): string {
    const key = probeKey(this.options.folder, this.options.randomBytes);
    this.keys.push(key);
    return key;
  }

  private async put(key: string, pace?: Pace): Promise<Outcome> {
    try {
      const { signal } = this.options;
      await this.store.put(key, BODY, { ifAbsent: true, signal, ...(pace === undefined ? {} : { pace }) });
      return 'accepted';
    } catch (error) {
      if (!isArchiverError(error, 'conflict') || (error instanceof StoreError && error.retriable)) throw error;
      return isUncertainConflict(error) ? 'unsure' : 'refused';
    }
  }

  private async timedPut(key: string): Promise<Outcome> {
    const start = performance.now();
    const outcome = await this.put(key);
    this.putMs = Math.max(this.putMs, performance.now() - start);
    return outcome;
  }

  /** Puts two objects in a row at one key; undefined if both are answered as they should be. */
  async inRow(): Promise<Probed | undefined> {
    const key = this.freshKey();
    let first: Outcome;
    try {
      first = await this.timedPut(key);
    } catch (error) {
      if (!isArchiverError(error, 'unsupported')) throw error;
      // Puts without the condition, to see whether that is what the store does not know.
      await this.store.put(this.freshKey(), BODY, { signal: this.options.signal });
      return plain(`it does not know If-None-Match (${error instanceof StoreError ? error.reason : error.code})`);
    }
    if (first === 'refused') return plain('it refused the first object of a key with If-None-Match');
    if ((await this.timedPut(key)) === 'accepted') return plain('it overwrote an object in spite of If-None-Match');
    return undefined;
  }

  /** Runs the races; undefined if each has exactly one winner. */
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
    const line = finishLine(RIVALS, Math.min(this.putMs, LINE_MS / 2));
    const rivals = Array.from({ length: RIVALS }, () => {
      const { pace, leave } = line();
      return this.put(key, pace).finally(leave);
    });
    const settled = await Promise.allSettled(rivals);
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  /** Deletes the probe's objects. What may not be deleted stays, and prune sweeps it with what its upload leaves. */
  async cleanUp(): Promise<void> {
    const late = AbortSignal.timeout(CLEAN_UP_MS);
    await this.options.deleter.delete(this.keys, late).catch((error: unknown) => errorText(error));
  }
}
