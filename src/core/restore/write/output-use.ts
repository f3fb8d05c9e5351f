// The time in which a restore writes into its output folder. Several parts of one restore may do so at once. Each gives a folder its
// attributes after its own last change in it, so whoever changed it last has set its time as well. Attributes that decide over what is made in a
// folder later, however (a mode that denies its owner, setgid, a default access control list), and those of an output folder that the parts
// have made, wait: a part that finds no other running when it ends sets them all. Parts begin and end by turns, so that none
// begins meanwhile; one that begins later opens the folders again that it needs.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../../format/manifest/manifest-types.js';
import { displayPath, type RawPath, rawFromLatin1, TOP } from '../../platform/paths/raw-path.js';
import { holdLock, type Lock, lockHolder } from '../../platform/state/lock.js';
import { counted } from '../../platform/text/counted.js';
import {
  changeMode,
  isUnderWay,
  markUnderWay,
  type OutputFolder,
  type SharedOutput,
} from '../output-tree/output-folder.js';
import type { Present } from '../output-tree/output-tree.js';
import { failureReason } from '../output-tree/refusal.js';
import type { GatherOptions } from '../plan/gather.js';
import { destinationOf, STATE } from '../plan/selected-table.js';
import { restoredMode } from './file-metadata.js';
import { finishFolder, finishRoot, OWNER_ACCESS, PERMISSIONS, type Writing } from './folders.js';
import { hasNotes, unfinishedFiles } from './folder-note.js';
import { lockedNames, lockOutput, removeLeftovers } from './leftovers.js';

const DEFAULT_LIST = rawFromLatin1('system.posix_acl_default');
/** The kernel's form of a list without entries, by which it removes one. */
const NO_LIST = Uint8Array.of(2, 0, 0, 0);
const SET_GROUP_ID = 0o2000;
/** How long to wait for the turn of another part, in ms; it has as many folders to set as the version. */
const PATIENCE_MS = 900_000;

export class OutputUse {
  /** Folders whose attributes decide over what is made in them later, in path order. */
  private readonly waiting: ReadonlySet<number>;
  private lock: Lock | undefined;
  /** How the temporary names of runs begin that were killed in this folder. */
  private dead: readonly string[] = [];
  private readonly opened: (readonly [index: number, mode: number])[] = [];

  constructor(
    private readonly writing: Writing,
    private readonly output: OutputFolder,
    private readonly source: SourceRecord,
    private readonly shared: SharedOutput | undefined,
    private readonly warnings: string[],
  ) {
    const waiting = new Set<number>();
    for (let index = 0; index < writing.table.count && !writing.settings.flatten; index++)
      if (this.decidesLater(index)) waiting.add(index);
    this.waiting = waiting;
  }

  /** Folders that the restore is to leave as they are. */
  get later(): ReadonlySet<number> {
    return this.shared === undefined ? new Set() : this.waiting;
  }

  private modeOf(index: number): number {
    const { table, settings } = this.writing;
    return restoredMode(table.columns.mode[index] ?? 0, true, settings.keepSpecialBits);
  }

  private hasDefaultList(index: number): boolean {
    return this.writing.extras.get(index)?.xattrs?.has(DEFAULT_LIST) === true;
  }

  private decidesLater(index: number): boolean {
    if (this.writing.table.type(index) !== 'directory') return false;
    const mode = this.modeOf(index);
    const isClosed = !this.writing.settings.isRoot && (mode & OWNER_ACCESS) !== OWNER_ACCESS;
    return isClosed || (mode & SET_GROUP_ID) !== 0 || this.hasDefaultList(index);
  }

  /** Begins: opens folders that an earlier restore has closed. @throws conflict, io */
  async begin(): Promise<void> {
    const { output, shared } = this;
    await this.inTurn(async () => {
      if (shared !== undefined) this.lock = await lockOutput(output);
      if (output.isClaimed) markUnderWay(output.tree);
      if (!output.settings.isEmpty) for (const index of this.waiting) this.open(index);
    });
    if (!output.settings.isEmpty) this.dead = await this.endedRuns();
  }

  /**
   * How the temporary names of ended runs begin. Where another restore runs, what it is writing looks like what an ended one has not
   * finished: one that has left notes is then for a later restore.
   */
  private async endedRuns(): Promise<readonly string[]> {
    const { rootPath } = this.output.settings;
    const ended = await lockedNames(rootPath, 'ended');
    return (await this.isAlone()) ? ended : ended.filter((prefix) => !hasNotes(rootPath, prefix));
  }

  private async isAlone(): Promise<boolean> {
    const { rootPath, tempName } = this.output.settings;
    return (await lockedNames(rootPath, 'running')).every((prefix) => prefix === tempName);
  }

  /** Files that killed restores have not finished, and which are therefore to be written whatever is in place. @throws system errors */
  unfinished(): ReadonlySet<RawPath> {
    return new Set(unfinishedFiles(this.output, this.dead));
  }

  /**
   * Called before the first file: locks the folder, unless that is done, and removes what killed restores have left. Not earlier, as another
   * restore that had made the folder for nothing may still remove it. @throws conflict, io
   */
  async beginWriting(): Promise<void> {
    const { output, writing } = this;
    this.lock ??= await lockOutput(output);
    if (output.settings.isEmpty) return;
    const { state } = writing.table.columns;
    const changed = await this.removeLeft(this.dead);
    for (let index = 0; changed.size > 0 && index < writing.table.count; index++)
      if (state[index] === STATE.elsewhere && changed.has(writing.table.path(index))) state[index] = STATE.waiting;
  }

  /**
   * Removes what these runs have left. Of the files that they may have been writing, those with content stay that this restore is not to
   * write, or has written: they may as well be whole, or somebody else's, who has put them there within a minute.
   */
  private async removeLeft(dead: readonly string[]): Promise<ReadonlySet<RawPath>> {
    const { table, tree, settings } = this.writing;
    const found = unfinishedFiles(this.output, dead);
    const others = new Set(found);
    for (let index = 0; others.size > 0 && index < table.count; index++)
      if (table.columns.state[index] === STATE.waiting) others.delete(destinationOf(table, index, settings.flatten));
    const kept = new Set([...others].filter((path) => (tree.present(path)?.size ?? 0) > 0));
    if (kept.size > 0) this.warnings.push(doubtfulText([...kept]));
    return await removeLeftovers(
      this.output,
      dead,
      found.filter((path) => !kept.has(path)),
    );
  }

  /** Ends, whether all was written or not. @throws conflict, io */
  async end(isWritten: boolean): Promise<void> {
    try {
      await this.inTurn(async () => {
        if (!isWritten) await this.removeOwn();
        await this.lock?.release();
        if (!(await this.hasOthers())) this.finishWaiting();
      });
    } finally {
      await this.lock?.release();
    }
    if (this.shared?.top !== undefined) await this.finishTop();
  }

  /** Removes what a thread of ours has left that did not end by itself. */
  private async removeOwn(): Promise<void> {
    const { rootPath, tempName } = this.output.settings;
    if (this.lock === undefined || !existsSync(rootPath) || !hasNotes(rootPath, tempName)) return;
    if (await this.isAlone()) await this.removeLeft([tempName]);
  }

  /** Whether other parts run. */
  private async hasOthers(): Promise<boolean> {
    const { shared, output } = this;
    if (shared === undefined) return true;
    const isOther = (name: string): boolean => name.startsWith(`.archiver-${shared.group}`);
    return (await lockedNames(output.settings.rootPath, 'running')).some(isOther);
  }

  // The turn lies in the folder itself and changes its time, so it has been returned by now, and others may begin.
  private async finishTop(): Promise<void> {
    const { output, writing, source } = this;
    const isLeft = async (): Promise<boolean> =>
      (await this.hasOthers()) || (await lockHolder(this.turnPath, hostname(), true)) !== undefined;
    while ((output.isClaimed || isUnderWay(output.tree)) && !(await isLeft())) {
      finishRoot(writing, source);
      if (!(await isLeft())) return;
      markUnderWay(output.tree); // for whoever begins after those that came just now
    }
  }

  private get turnPath(): string {
    return join(this.output.settings.rootPath, `.archiver-${this.shared?.group}-turn`);
  }

  /** Closes the folders that were opened for nothing. */
  closeAgain(): void {
    if (this.shared !== undefined) return;
    const { table, tree } = this.writing;
    for (const [index, mode] of this.opened.toReversed()) changeMode(tree, table.path(index), mode);
  }

  private async inTurn(work: () => Promise<void>): Promise<void> {
    const { shared, waiting } = this;
    if (shared === undefined || (shared.top === undefined && waiting.size === 0)) {
      await work();
      return;
    }
    const turn = await holdLock(this.turnPath, {
      host: hostname(),
      what: 'the folders of this restore',
      patienceMs: PATIENCE_MS,
      expires: true,
    });
    try {
      await work();
    } finally {
      await turn.release();
    }
  }

  private presentFolder(index: number): Present | undefined {
    const { table, tree } = this.writing;
    try {
      const present = tree.present(table.path(index));
      return present?.kind === 'directory' ? present : undefined;
    } catch {
      return undefined; // it lies in one that is closed, or is refused later, when something is to be written there
    }
  }

  private open(index: number): void {
    const { table, tree } = this.writing;
    const present = table.columns.state[index] === STATE.waiting ? this.presentFolder(index) : undefined;
    const isClosed = present !== undefined && (present.mode & OWNER_ACCESS) !== OWNER_ACCESS;
    if (present === undefined || (this.shared === undefined && !isClosed)) return;
    const path = table.path(index);
    try {
      changeMode(tree, path, OWNER_ACCESS | (present.mode & PERMISSIONS));
      this.opened.push([index, present.mode]);
      if (this.shared === undefined || !this.hasDefaultList(index)) return;
      const fd = tree.openFolder(path);
      try {
        tree.setAttribute(fd, DEFAULT_LIST, NO_LIST);
      } finally {
        tree.close(fd);
      }
    } catch {
      // It belongs to somebody else, or there are no lists here: what cannot be written there is a failure of its own.
    }
  }

  private finishWaiting(): void {
    const { writing, warnings } = this;
    const { table, failures } = writing;
    for (const index of [...this.waiting].toReversed()) {
      const state = table.columns.state[index];
      const present = state === STATE.failed ? undefined : this.presentFolder(index);
      if (present === undefined) continue;
      const isFinished = present.mode === this.modeOf(index) && !this.hasDefaultList(index);
      if (isFinished && state === STATE.elsewhere) continue;
      try {
        finishFolder(writing, index, true, warnings);
      } catch (error) {
        failures.add(table.path(index), failureReason(error), true);
      }
    }
  }
}

/** Returns what a part shares with the others; undefined for a restore that is none. */
export function sharedOutput(
  {
    uploadId,
    selectors,
    keepSpecialBits,
  }: Pick<GatherOptions, 'uploadId' | 'selectors'> & { readonly keepSpecialBits: boolean },
  { mode, mtime }: SourceRecord,
): SharedOutput | undefined {
  const { part, ...others } = selectors;
  if (part === undefined) return undefined;
  const chosen = Object.entries(others).map((selector) => JSON.stringify(selector));
  const common = [uploadId, part.of, ...chosen.toSorted()].join();
  const group = createHash('sha256').update(common).digest('hex').slice(0, 8);
  const top = { mode: restoredMode(mode, true, keepSpecialBits), mtime };
  return { group, top: selectors.all === true ? top : undefined };
}

const doubtfulText = ([first = TOP, ...more]: readonly RawPath[]): string =>
  `${displayPath(first)}${more.length === 0 ? '' : ` and ${counted(more.length, 'other file')}`} may not be whole: a restore that was killed was writing there; what is of an archive is to be restored again`;
