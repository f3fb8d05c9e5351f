// Keeps what each running run has used so far in a file beside the ledger: a killed run leaves it there, and the next run records it. It is
// written at the first billed request, then after a second or a quarter more uses: a run that only looks writes once. It is not flushed: it
// survives a killed process, but not always a power loss.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { isArchiverError, undefinedOn, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { HOLDER, holderStatus, ownHolder } from '../../platform/state/lock-holder.js';
import { removeOrphanFiles } from '../../platform/state/orphans.js';
import { type LedgerRecord, RECORD } from './record.js';

const BODY = s.schema(() => s.object({ ...HOLDER, records: s.listOf(RECORD()) }));
const KIND = { type: 'running-cost', format: 1, noun: 'cost of a run', body: BODY } as const;
const FILE = /^[0-9a-f]{16}\.json$/;
const ORPHAN = { pattern: /^[0-9a-f]{16}\.json\.tmp$/, savedIds: [] } as const;
const ORPHAN_MS = 86_400_000;
/** Least number of uses between writes that change nothing, since lists and the like cost little. */
const LEAST_USES = 16;
const EVERY_MS = 1000;
/** A run in another container that has not written for so long is taken for killed. */
const SILENT_MS = 86_400_000;

const runningFolder = (ledger: string): string => join(ledger, 'running');

/** Returns the id of a record of the run: of its own, or of another upload that it changed. Deterministic. */
export const recordId = (runId: string, uploadId?: string): string =>
  uploadId === undefined ? runId : createHash('sha256').update(`${runId} ${uploadId}`).digest('hex').slice(0, 16);

interface RunOptions {
  /** The ledger's folder. */
  readonly folder: string;
  /** This computer. */
  readonly host: string;
  readonly now: () => Date;
  /** Returns the records to leave if the run were killed now; none while it is not known what the run is about. */
  readonly records: () => readonly LedgerRecord[];
}

/** The file of a running run. */
export class RunningCost {
  /** Id of the run's record, 16 hex digits. */
  readonly id = randomBytes(8).toString('hex');
  /** The error that kept it from being written. */
  trouble: unknown;
  private readonly path: string;
  private isWritten = false;
  private uses = 0;
  private writtenUses = 0;
  private writtenMs = 0;

  constructor(private readonly options: RunOptions) {
    this.path = join(runningFolder(options.folder), `${this.id}.json`);
  }

  /** Call when something was used; `hasChanged` tells whether something was stored or deleted. */
  readonly used = (hasChanged: boolean): void => {
    this.uses++;
    const nowMs = this.options.now().getTime();
    const wait = Math.max(hasChanged ? 1 : LEAST_USES, this.writtenUses / 4);
    const isDue = !this.isWritten || this.uses >= this.writtenUses + wait || nowMs >= this.writtenMs + EVERY_MS;
    if (!isDue || this.trouble !== undefined) return;
    const records = this.options.records();
    if (records.length === 0) return;
    [this.writtenUses, this.writtenMs] = [this.uses, nowMs];
    try {
      this.write(records);
    } catch (error) {
      this.trouble = error;
    }
  };

  /** Removes the file once its records are in the ledger. @throws access-denied, io */
  async remove(): Promise<void> {
    if (this.isWritten) await removeFile(this.path);
  }

  /** Writes synchronously, so that the records match the usage. */
  private write(records: readonly LedgerRecord[]): void {
    const { folder, host } = this.options;
    if (!this.isWritten) mkdirSync(runningFolder(folder), { recursive: true, mode: 0o700 });
    this.isWritten = true;
    const holder = ownHolder(host);
    writeFileSync(`${this.path}.tmp`, encodeStateDocument(KIND, { ...holder, records }), { mode: 0o600 });
    renameSync(`${this.path}.tmp`, this.path);
  }
}

/** A run that was killed. */
export interface KilledRun {
  readonly id: string;
  readonly records: readonly LedgerRecord[];
  /** Removes the file once its records are in the ledger. @throws access-denied, io */
  readonly remove: () => Promise<void>;
}

/**
 * Returns the killed runs of this computer (`host`), the oldest first. Unreadable files are ignored.
 * @throws access-denied, io
 */
export async function killedRuns(ledger: string, host: string): Promise<readonly KilledRun[]> {
  const folder = runningFolder(ledger);
  const runs: KilledRun[] = [];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const text = FILE.test(name) ? await readFile(path, 'utf8').catch(undefinedOn('ENOENT')) : undefined;
    const written = text === undefined ? undefined : await stat(path).catch(undefinedOn('ENOENT'));
    if (text === undefined || written === undefined) continue;
    const records = killedIn(text, path, { host, isSilent: Date.now() - written.mtimeMs > SILENT_MS });
    if (records !== undefined) runs.push({ id: name.slice(0, 16), records, remove: () => removeFile(path) });
  }
  const timeOf = ({ records: [first] }: KilledRun): string => first?.time ?? '';
  return runs.sort((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
}

/** Returns the uploads that runs of this computer (`host`) have changed so far which have not ended. @throws access-denied, io */
export async function busyUploads(ledger: string, host: string): Promise<ReadonlySet<string>> {
  const folder = runningFolder(ledger);
  const busy = new Set<string>();
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const text = FILE.test(name) ? await readFile(path, 'utf8').catch(undefinedOn('ENOENT')) : undefined;
    const run = text === undefined ? undefined : runIn(text, path);
    if (run === undefined || holderStatus(run, host) === 'dead') continue;
    for (const { uploadId } of run.records) if (uploadId !== null) busy.add(uploadId);
  }
  return busy;
}

/** Removes partly written files of killed processes. @throws system errors */
export const removeTornRuns = async (ledger: string, nowMs: number): Promise<void> =>
  void (await removeOrphanFiles(runningFolder(ledger), nowMs - ORPHAN_MS, ORPHAN));

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileFailure('read', folder, error);
  }
}

/** Returns the records of a killed run; undefined while its process is alive, and for files of others or damaged ones. */
function killedIn(
  text: string,
  path: string,
  { host, isSilent }: { readonly host: string; readonly isSilent: boolean },
): readonly LedgerRecord[] | undefined {
  const run = runIn(text, path);
  const life = run === undefined ? 'alive' : holderStatus(run, host);
  return life === 'alive' || (life === 'unknown' && (run?.host !== host || !isSilent)) ? undefined : run?.records;
}

/** Reads what a run has used; undefined for a damaged file. */
function runIn(text: string, path: string): s.Read<typeof BODY> | undefined {
  try {
    return readStateDocument(text, KIND, { path, hint: '' });
  } catch (error) {
    if (isArchiverError(error)) return undefined;
    throw error;
  }
}

async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error: unknown) => {
    throw fileFailure('remove', path, error);
  });
}
