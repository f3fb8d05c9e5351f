// Worker thread: lists the source while the main thread loads the store's client.
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { endWork } from '../../platform/threads/end-work.js';
import { fsPath, type RawPath, rawFromBytes, rawFromLatin1 } from '../../platform/paths/raw-path.js';
import type { EntryTableData } from '../../format/columns/entry-table.js';
import type { FilterOptions } from './filter-options.js';
import type { Ahead, AheadSizes, ChunkAhead } from './rows-ahead.js';
import { scan, type ScanResult } from './scan.js';
import type { ScanWindow } from './scan-window.js';
import { type PartList, scanListed } from './scan-listed.js';
import { NotArchivable } from './skip.js';
import { openSource, realPathOf } from './united-source.js';

export interface ScanRequest {
  readonly root: RawPath;
  readonly filter: FilterOptions;
  readonly listed: PartList | undefined;
  readonly window: ScanWindow | undefined;
  readonly ahead: AheadSizes | undefined;
}

export type ScanReply =
  /** Sent when the native code is loaded: from here on the thread may be terminated. */
  | { readonly type: 'ready' }
  | { readonly type: 'progress'; readonly files: number; readonly bytes: number }
  | { readonly type: 'chunk'; readonly chunk: ChunkAhead; readonly table: EntryTableData }
  | { readonly type: 'done'; readonly result: ScanResult; readonly loss: string | undefined }
  | { readonly type: 'failed'; readonly usage: boolean; readonly code: string | undefined; readonly message: string };

const MAX_TEXT = 1 << 20;

// The file is checked before it is opened, and opened without waiting: a FIFO of this name must not stop the scan.
function readSmallText(path: RawPath, bytes?: number): RawPath | undefined {
  if (!statSync(fsPath(path)).isFile()) return undefined;
  const fd = openSync(fsPath(path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) return undefined;
    if (bytes !== undefined) return readStart(fd, bytes);
    if (found.size > MAX_TEXT) throw new NotArchivable(`has ${found.size} bytes: too many for a list of patterns`);
    return rawFromLatin1(readFileSync(fd, 'latin1'));
  } finally {
    closeSync(fd);
  }
}

function readStart(fd: number, bytes: number): RawPath {
  const buffer = Buffer.alloc(bytes);
  let end = 0;
  for (let read = -1; read !== 0 && end < bytes; end += read) read = readSync(fd, buffer, end, bytes - end, end);
  return rawFromBytes(buffer, 0, end);
}

const reply = (message: ScanReply): void => parentPort?.postMessage(message);

async function answer({ root, filter, listed, window, ahead: sizes }: ScanRequest): Promise<void> {
  const fs = openSource(root);
  reply({ type: 'ready' });
  const readText = (path: RawPath, bytes?: number): RawPath | undefined => readSmallText(realPathOf(root, path), bytes);
  const onProgress = (files: number, bytes: number): void => reply({ type: 'progress', files, bytes });
  const onChunk: Ahead['onChunk'] = (chunk, table) => reply({ type: 'chunk', chunk, table });
  const options = { fs, root, filter, window, readText, onProgress, ahead: sizes && { sizes, onChunk } };
  const result = listed === undefined ? scan(options) : await scanListed(options, listed);
  reply({ type: 'done', result, loss: fs.loss });
}

parentPort?.on('message', (request: ScanRequest | 'end') => {
  if (request === 'end') return endWork();
  answer(request).catch((error: unknown) =>
    reply({
      type: 'failed',
      usage: isArchiverError(error, 'usage'),
      code: systemCode(error),
      message: errorText(error),
    }),
  );
});
