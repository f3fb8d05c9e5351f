// Checks that a store can be used: puts, lists, reads and deletes a small object, and then archives, restores and compares 1 MB of data.
// Everything is below a temporary folder in the store, which is removed afterwards.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveFolder } from '../archive/archive-folder.js';
import { fillGenerated } from '../platform/generated-data.js';
import { withoutSecrets } from '../platform/failures/hide-secrets.js';
import { errorText, isArchiverError } from '../platform/failures/errors.js';
import type { OpenedStore } from '../store/open-store.js';
import { readAll } from '../store/read-content.js';
import { StoreError, throwIfCancelled } from '../store/store-error.js';
import { rawFromText } from '../platform/paths/raw-path.js';
import { restoreUpload } from '../restore/restore.js';

export interface CheckLine {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
  /** The missing permission; undefined when none is missing or the problem is another one. */
  readonly action?: string;
  /** Suggestion of what to type or do. */
  readonly hint?: string;
}

export interface CheckOptions {
  /** Opens the store, or a folder below it as a store of its own. */
  readonly open: (below?: string) => Promise<OpenedStore>;
  readonly tell: (line: CheckLine) => void;
  readonly signal: AbortSignal;
  /** Time limit in ms for cleaning up after cancellation. */
  readonly cleanUpMs?: number | undefined;
}

/** How far a store can be used: not at all, only for writing, or for everything. */
export type Usability = 'none' | 'writing' | 'all';

/** `denied`: by a policy. */
type Tried = 'done' | 'denied' | 'failed';

const PROBE_BYTES = 64;
const TEST_BYTES = 1_000_000;

const CLEAN_UP_MS = 5000;

/** Returns a signal for cleaning up: it fires `cleanUpMs` after `signal`, because a store that does not answer must not block forever. */
function cleanUpSignal({ signal, cleanUpMs = CLEAN_UP_MS }: Pick<CheckOptions, 'signal' | 'cleanUpMs'>): AbortSignal {
  const late = new AbortController();
  const begin = (): void => void setTimeout(() => late.abort(), cleanUpMs).unref();
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return late.signal;
}

/** Explains why something was not removed. */
const reasonOf = (error: unknown, late: AbortSignal): string =>
  late.aborted ? 'the store gives no answer' : withoutSecrets(errorText(error));

const ownFolder = (): string => `archiver-setup-${randomBytes(4).toString('hex')}`;

const failure = (what: string, action: string, error: unknown): CheckLine => {
  const isDenied = error instanceof StoreError && error.isRefused;
  const hint = isArchiverError(error) ? error.hint : undefined;
  return {
    tone: 'bad',
    text: `${what}: ${withoutSecrets(errorText(error))}`,
    ...(isDenied ? { action } : {}),
    ...(hint === undefined || isDenied ? {} : { hint }),
  };
};

/** Puts, lists, reads and deletes a small object, reporting each step; it is deleted even after cancellation. @throws cancelled */
export async function probeStore({ open, tell, signal, cleanUpMs }: CheckOptions): Promise<Usability> {
  const key = `${ownFolder()}/probe`;
  let opened: OpenedStore;
  try {
    opened = await open();
  } catch (error) {
    throwIfCancelled(signal);
    tell(failure('open', 's3:ListBucket', error));
    return 'none';
  }
  const { store, deleter } = opened;
  const content = randomBytes(PROBE_BYTES);
  const reportLeftover = (reason: string): void => tell({ tone: 'warn', text: `${key} stays in the store: ${reason}` });
  let mayBeThere = false;
  const attempt = async (what: string, action: string, done: string, work: () => Promise<boolean>): Promise<Tried> => {
    try {
      const isRight = await work();
      const wrong = `${what}: the store does not give back what was put`;
      tell(isRight ? { tone: 'good', text: done } : { tone: 'bad', text: wrong });
      return isRight ? 'done' : 'failed';
    } catch (error) {
      throwIfCancelled(signal);
      const line = failure(what, action, error);
      tell(line);
      return line.action === undefined ? 'failed' : 'denied';
    }
  };
  try {
    const put = await attempt('put', 's3:PutObject', 'an object can be put', async () => {
      mayBeThere = true;
      await store.put(key, content, { signal });
      return true;
    });
    if (put !== 'done') return 'none';
    const listed = await attempt('list', 's3:ListBucket', 'it is listed', async () => {
      for await (const { objects } of store.list({ prefix: key, signal }))
        if (objects.some((found) => found.key === key)) return true;
      return false;
    });
    const read = await attempt('get', 's3:GetObject', 'it is read as it was put', async () =>
      content.equals(await readAll(await store.get(key, { signal }), PROBE_BYTES)),
    );
    const deleted = await attempt('delete', 's3:DeleteObject', 'it is deleted', async () => {
      const [failed] = await deleter.delete([key], signal);
      if (failed?.isRefused === true) throw new StoreError('access-denied', failed.reason, { isRefused: true });
      return failed === undefined;
    });
    mayBeThere = false;
    if (deleted !== 'done') reportLeftover(`${PROBE_BYTES} bytes`);
    const tried = [listed, read, deleted];
    if (tried.includes('failed')) return 'none';
    return tried.includes('denied') ? 'writing' : 'all';
  } finally {
    if (mayBeThere && signal.aborted) {
      const late = cleanUpSignal({ signal, cleanUpMs });
      await deleter.delete([key], late).catch((error: unknown) => reportLeftover(reasonOf(error, late)));
    }
    opened.close();
  }
}

/**
 * Archives 1 MB as an upload does, restores and compares it, and deletes all of it again. Returns true when it is unchanged. @throws
 * cancelled
 */
export async function roundTrip({ open, tell, signal, cleanUpMs }: CheckOptions): Promise<boolean> {
  const below = ownFolder();
  const folder = await mkdtemp(join(tmpdir(), 'archiver-setup-'));
  const quiet = { emit: () => undefined, signal };
  try {
    const content = Buffer.alloc(TEST_BYTES);
    fillGenerated('mixed', 0, content);
    await writeFile(join(folder, 'sample'), content);
    const opened = await open(below);
    try {
      const begun = performance.now();
      const source = rawFromText(folder);
      const uploaded = await archiveFolder({ ...quiet, store: opened, source, packing: { workers: 1 } });
      const uploadMs = performance.now() - begun;
      const outputDir = join(folder, 'restored');
      const { failed } = await restoreUpload({
        ...quiet,
        ...RESTORING,
        reader: opened.store,
        uploadId: uploaded.uploadId,
        outputDir,
      });
      const isSame = failed.length === 0 && content.equals(await readFile(join(outputDir, 'sample')));
      const took = `archived in ${seconds(uploadMs)} s, restored in ${seconds(performance.now() - begun - uploadMs)} s`;
      tell(
        isSame
          ? { tone: 'good', text: `1 MB of test data: ${took}, the same byte for byte` }
          : { tone: 'bad', text: `1 MB of test data did not come back: ${failed[0]?.reason ?? 'its content differs'}` },
      );
      return isSame;
    } finally {
      opened.close();
      await cleanUp({ open, tell, signal: cleanUpSignal({ signal, cleanUpMs }) }, below);
    }
  } catch (error) {
    throwIfCancelled(signal);
    tell(failure('test', 's3:PutObject', error));
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const RESTORING = {
  operation: 'restore',
  selectors: { all: true },
  overwrite: 'always',
  flatten: false,
  verifyFiles: true,
  keepSpecialBits: false,
  dryRun: false,
  requestsAtOnce: 4,
  fillsCache: false,
} as const;

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Removes all objects of the test, even after cancellation. */
async function cleanUp({ open, tell, signal }: CheckOptions, below: string): Promise<void> {
  const opened = await open();
  try {
    const keys: string[] = [];
    for await (const { objects } of opened.store.list({ prefix: `${below}/`, signal }))
      keys.push(...objects.map(({ key }) => key));
    const failed = await opened.deleter.delete(keys, signal);
    if (failed.length === 0) tell({ tone: 'good', text: `its ${keys.length} objects are deleted again` });
    else tell({ tone: 'warn', text: `${below} stays in the store: ${failed[0]?.reason ?? ''}` });
  } catch (error) {
    tell({ tone: 'warn', text: `${below} stays in the store: ${reasonOf(error, signal)}` });
  } finally {
    opened.close();
  }
}
