// Problems that verify finds. Lists are bounded: a manifest that is wrong everywhere must not fill the memory.

export interface Problem {
  readonly message: string;
  /** Path of the affected file. */
  readonly path?: string;
  /** Key of the affected object. */
  readonly key?: string;
}

/** A problem as a sentence that names what it is about. */
export function problemText({ message, path, key }: Problem): string {
  const about = path ?? key;
  return about === undefined || message.includes(about) ? message : `${about}: ${message}`;
}

const MAX_KEPT = 10_000;

/** Receives problems. */
export interface ProblemSink {
  add(message: string, about?: Omit<Problem, 'message'>): void;
}

export class Problems implements ProblemSink {
  readonly list: Problem[] = [];
  /** Number of problems, including those beyond the limit of the list. */
  count = 0;

  add(message: string, about: Omit<Problem, 'message'> = {}): void {
    this.count++;
    if (this.list.length < MAX_KEPT) this.list.push({ message, ...about });
  }
}
