// Collects paths that could not be processed, in the order of discovery.
import { displayPath, pathBelow, type RawPath, textFromRaw, TOP } from '../paths/raw-path.js';

export interface Failure {
  readonly path: string;
  readonly reason: string;
}

/** Returns a path as shown in results: as text, with `\xNN` when it is not UTF-8. */
export const resultPath = (path: RawPath): string => textFromRaw(path) ?? displayPath(path);

export class Failures {
  readonly list: Failure[] = [];

  constructor(private readonly onFailure: (failure: Failure) => void = () => undefined) {}

  /** Adds a failure. The path of a folder gets a trailing slash. */
  add(path: RawPath, reason: string, isFolder = false): void {
    const failure = { path: resultPath(isFolder ? pathBelow(path, TOP) : path), reason };
    this.list.push(failure);
    this.onFailure(failure);
  }
}
