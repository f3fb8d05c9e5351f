// Counts local files that an upload does not have, except files of DVC and git themselves.
import fs from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { systemCode } from '../../platform/failures/errors.js';
import type { Listing } from '../../restore/listing/listing.js';
import { throwIfCancelled } from '../../store/store-error.js';
import {
  fsPath,
  type RawPath,
  rawFromBytes,
  TOP,
  CURRENT_FOLDER,
  joinPath,
  pathBelow,
} from '../../platform/paths/raw-path.js';
import { Failures } from '../../platform/failures/failure-list.js';
import { failureReason } from '../../restore/output-tree/refusal.js';
import { isUntrackable } from './untrackable.js';

export interface Untracked {
  readonly files: number;
  /** Folders that could not be listed. */
  readonly failed: Failures['list'];
}

/** Counts files below `folder` (absolute), without following links. @throws cancelled */
export async function countUntracked(folder: RawPath, listing: Listing, signal: AbortSignal): Promise<Untracked> {
  const failures = new Failures();
  const waiting: RawPath[] = [TOP];
  let files = 0;
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    throwIfCancelled(signal);
    await yieldToOthers();
    try {
      for (const item of fs.readdirSync(fsPath(pathBelow(folder, below)), {
        withFileTypes: true,
        encoding: 'buffer',
      })) {
        const path = joinPath(below, rawFromBytes(item.name));
        const isFolder = item.isDirectory();
        if (isUntrackable(isFolder ? pathBelow(path, TOP) : path)) continue;
        if (isFolder) waiting.push(path);
        else if (listing.find(path) === undefined) files++;
      }
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      failures.add(below === '' ? CURRENT_FOLDER : below, failureReason(error));
    }
  }
  return { files, failed: failures.list };
}
