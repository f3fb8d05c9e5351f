// What verify finds. Lists are bounded: a manifest that is wrong everywhere must not fill the memory.

export interface Problem {
  readonly message: string;
  /** The file that it is about. */
  readonly path?: string;
  /** The object that it is about. */
  readonly key?: string;
}

const MAX_KEPT = 10_000;

/** Where problems are put. */
export interface ProblemSink {
  add(message: string, about?: Omit<Problem, 'message'>): void;
}

export class Problems implements ProblemSink {
  readonly list: Problem[] = [];
  /** All, kept or not. */
  count = 0;

  add(message: string, about: Omit<Problem, 'message'> = {}): void {
    this.count++;
    if (this.list.length < MAX_KEPT) this.list.push({ message, ...about });
  }
}
