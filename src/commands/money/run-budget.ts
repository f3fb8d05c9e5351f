// What a run that goes on has reserved of its budgets. Its record counts what it used instead.
import type { RunAccount } from '../../cli/context.js';
import { RESERVED_MS, type Reserved, sumOfReserved } from '../../core/money/budget/reserved.js';

/** A third of the time that a reservation lasts: two attempts may fail. */
const RENEW_MS = RESERVED_MS / 3;

/** The part of one run in the book of budgets. */
export class RunBudget {
  private readonly parts = new Map<object, Reserved>();
  private timer: NodeJS.Timeout | undefined;
  /** True if the book could not be asked, which refused the run: it is not asked again at its end. */
  isUnreachable = false;
  /** True once its record counts in its place: a renewal that is under way must not bring the reservation back. */
  isClosed = false;
  /** Projects of uploads as their manifests name them; null for one without a project. */
  readonly projects = new Map<string, string | null>();

  /** `id`: of the run, as its record has it. */
  constructor(readonly id: string) {}

  get hasReserved(): boolean {
    return this.parts.size > 0;
  }

  /** Returns what is reserved for other parts of the run's work than this one. */
  without(part: object): Reserved {
    return sumOfReserved([...this.parts].flatMap(([one, reserved]) => (one === part ? [] : [reserved])));
  }

  get all(): Reserved {
    return sumOfReserved(this.parts.values());
  }

  /** Notes what is reserved for a part, and renews the reservation for as long as the run goes on. */
  keep(part: object, reserved: Reserved, renew: () => Promise<void>): void {
    this.parts.set(part, reserved);
    this.timer ??= setInterval(() => void renew(), RENEW_MS).unref();
  }

  /** Ends the renewing. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }
}

const RUNS = new WeakMap<RunAccount, RunBudget>();

/** Makes the part of a run, by the id of its record. */
export const beginRun = (account: RunAccount, id: string): void => void RUNS.set(account, new RunBudget(id));

/** Returns the part of a run; undefined for one that is not recorded. */
export const runBudgetOf = (account: RunAccount): RunBudget | undefined => RUNS.get(account);
