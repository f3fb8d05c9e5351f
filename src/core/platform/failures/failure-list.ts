// What could not be restored, in the order of discovery.
import { displayPath, pathBelow, type RawPath, textFromRaw, TOP } from '../paths/raw-path.js';

export interface Failure {
  readonly path: string;
  readonly reason: string;
}

/** A path as results name it: its text, or with `\xNN` where it is not UTF-8. */
export const resultPath = (path: RawPath): string => textFromRaw(path) ?? displayPath(path);

export class Failures {
  readonly list: Failure[] = [];

  constructor(private readonly onFailure: (failure: Failure) => void = () => undefined) {}

  /** The path of a folder gets a slash at its end. */
  add(path: RawPath, reason: string, isFolder = false): void {
    const failure = { path: resultPath(isFolder ? pathBelow(path, TOP) : path), reason };
    this.list.push(failure);
    this.onFailure(failure);
  }
}
