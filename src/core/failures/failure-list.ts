// What could not be restored, in the order of discovery.
import { displayPath, type RawPath, textFromRaw } from '../paths/raw-path.js';

export interface Failure {
  readonly path: string;
  readonly reason: string;
}

/** A path as results name it: its text, or with `\xNN` where it is not UTF-8. */
export const resultPath = (path: RawPath): string => textFromRaw(path) ?? displayPath(path);

export class Failures {
  readonly list: Failure[] = [];

  constructor(private readonly onFailure: (failure: Failure) => void = () => undefined) {}

  add(path: RawPath, reason: string): void {
    const failure = { path: resultPath(path), reason };
    this.list.push(failure);
    this.onFailure(failure);
  }
}
