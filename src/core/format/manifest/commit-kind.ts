// Selectors of git commits, of which only a prefix may be given.
import { usageError } from '../../platform/failures/errors.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import { printable } from '../../platform/paths/raw-path.js';
import { NOT_HERE } from './nothing-selected.js';
import { INSTEAD, type Kind, kindText, type Matched, type Recorded } from './selector-kind.js';

const NO_COMMITS = `this upload was made without --git-metadata and recorded no commit; ${INSTEAD}`;
const MIN_COMMIT_DIGITS = 7;

/** A commit, of which only a prefix may be given. */
class WantedCommit {
  private readonly prefix: string;
  private readonly found = new Set<string>();
  private isHead = false;

  /** @throws usage */
  constructor(private readonly text: string) {
    this.prefix = text.toLowerCase();
    if (!/^[0-9a-f]*$/.test(this.prefix) || this.prefix.length < MIN_COMMIT_DIGITS || this.prefix.length > 64)
      throw usageError(
        `'${printable(text)}' is not a git commit`,
        `a commit is its SHA in hex, or at least the first ${MIN_COMMIT_DIGITS} digits of it`,
      );
  }

  begin(commit: string | undefined): void {
    this.isHead = this.matches(commit);
  }

  matches(commit: string | undefined): boolean {
    const isFound = commit?.startsWith(this.prefix) === true;
    if (isFound) this.found.add(commit);
    return isFound || this.isHead;
  }

  /** Returns the text when no commit matches. @throws usage when several commits begin with it */
  unmatched(): readonly string[] {
    if (this.found.size > 1)
      throw usageError(
        `${this.found.size} commits of this upload begin with '${printable(this.text)}'`,
        `give more digits: ${[...this.found].slice(0, 10).join(', ')}`,
      );
    return this.found.size === 0 ? [this.text] : [];
  }
}

export class Commits implements Kind {
  readonly text: string;
  /** A commit cannot be searched for: the commit of the head, which is read after the search has begun, may match. */
  readonly needles = undefined;
  private readonly wanted: readonly WantedCommit[];
  private isRecorded = false;

  constructor(texts: readonly string[]) {
    this.wanted = texts.map((text) => new WantedCommit(text));
    this.text = kindText('commit', 'commits', texts);
  }

  begin({ git }: Recorded): void {
    this.isRecorded = git !== undefined;
    for (const one of this.wanted) one.begin(git?.commit);
  }

  matches({ commit }: Matched): boolean {
    this.isRecorded ||= commit !== undefined;
    let isAny = false;
    for (const one of this.wanted) if (one.matches(commit)) isAny = true;
    return isAny;
  }

  unmatched(): readonly Failure[] {
    const reason = this.isRecorded ? NOT_HERE : NO_COMMITS;
    return this.wanted.flatMap((one) => one.unmatched()).map((path) => ({ path, reason }));
  }
}
