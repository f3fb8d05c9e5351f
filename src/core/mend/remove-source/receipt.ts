// The receipt of a removal: one JSON document that names every path with its size, its MD5 and where it is stored. It is on disk before the
// first removal, as what is meant to be done, and is replaced by what was done.
import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { displayPath, type RawPath, bytesOf, textFromRaw } from '../../platform/paths/raw-path.js';
import { NewFile } from '../../platform/state/new-file.js';
import type { StoredEntries } from './stored-entries.js';

/** `intended` until it is known what became of it: only that file can be gone or not when the process was killed. */
export type Outcome = 'intended' | 'removed' | 'kept' | 'gone';

export interface ReceiptHead {
  readonly status: 'intended' | 'stopped' | 'complete';
  readonly uploadId: string;
  readonly location: string;
  readonly datasetId: string;
  readonly version: number;
  readonly sources: readonly string[];
  /** Begins the name that a file has for the moment before it is removed. */
  readonly asidePrefix: string;
  readonly verifiedAt: string;
  readonly endedAt: string | null;
}

interface ReceiptBody {
  readonly entries: StoredEntries;
  readonly outcomeOf: (index: number) => Outcome;
  readonly reasonOf: (index: number) => string | undefined;
}

const LINES_AT_ONCE = 1000;

/** Writes and flushes the receipt; the first one must not be there. @throws conflict, access-denied, no-space, io */
export async function writeReceipt(path: string, head: ReceiptHead, body: ReceiptBody): Promise<void> {
  let file: NewFile | undefined;
  try {
    file = await NewFile.begin(path, head.status !== 'intended');
    const { status, ...about } = head;
    await file.write(
      Buffer.from(
        `${JSON.stringify({ format: 1, type: 'removal-receipt', status, ...about }).slice(0, -1)},"entries":[`,
      ),
    );
    const { count } = body.entries.table;
    for (let from = 0; from < count; from += LINES_AT_ONCE) {
      const lines: string[] = [];
      for (let index = from; index < Math.min(count, from + LINES_AT_ONCE); index++)
        lines.push(`${index === 0 ? '' : ','}\n${JSON.stringify(lineOf(index, body))}`);
      await file.write(Buffer.from(lines.join('')));
    }
    await file.write(Buffer.from('\n]}\n'));
    await file.finish();
  } catch (error) {
    await file?.discard();
    throw isArchiverError(error) ? error : fileFailure('write', path, error);
  }
}

function lineOf(index: number, { entries: { table, extras }, outcomeOf, reasonOf }: ReceiptBody): object {
  const path = table.path(index);
  const target = extras.get(index)?.target;
  const type = table.type(index);
  return {
    ...pathFacts(path),
    type,
    ...(type === 'file' || type === 'hardlink'
      ? { size: table.columns.size[index], md5: table.md5(index) ?? null }
      : {}),
    ...(target === undefined ? {} : { target: displayPath(target) }),
    outcome: outcomeOf(index),
    reason: reasonOf(index),
  };
}

function pathFacts(raw: RawPath): object {
  const path = textFromRaw(raw);
  return path === undefined ? { path: displayPath(raw), pathBase64: bytesOf(raw).toString('base64') } : { path };
}

/** Makes the folder of receipts, for its owner alone. @throws access-denied, no-space, io */
export async function makeReceiptFolder(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    throw fileFailure('write', folder, error);
  }
}
