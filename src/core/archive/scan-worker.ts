// Worker thread: lists the source while the main thread loads the store's client.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { errorText, isArchiverError, systemCode } from '../errors.js';
import { fsPath, type RawPath } from '../raw-path.js';
import type { FilterOptions } from './filter.js';
import { scan, type ScanResult } from './scan.js';
import { openSourceFs } from './source-fs.js';

export interface ScanRequest {
  readonly root: RawPath;
  readonly filter: FilterOptions;
}

export type ScanReply =
  | { readonly type: 'progress'; readonly files: number; readonly bytes: number }
  | { readonly type: 'done'; readonly result: ScanResult; readonly loss: string | undefined }
  | { readonly type: 'failed'; readonly usage: boolean; readonly code: string | undefined; readonly message: string };

const request = workerData as ScanRequest;
const reply = (message: ScanReply): void => parentPort?.postMessage(message);

try {
  const fs = openSourceFs();
  const result = scan({
    fs,
    root: request.root,
    filter: request.filter,
    readText: (path) => readFileSync(fsPath(path), 'utf8'),
    onProgress: (files, bytes) => reply({ type: 'progress', files, bytes }),
  });
  reply({ type: 'done', result, loss: fs.loss });
} catch (error) {
  reply({ type: 'failed', usage: isArchiverError(error, 'usage'), code: systemCode(error), message: errorText(error) });
}
