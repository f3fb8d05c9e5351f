// Worker thread: packs the chunks it is given, one at a time, into buffers that both threads see.
import { parentPort } from 'node:worker_threads';
import { loadCodec } from '../../platform/codec/codec.js';
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import { type Md5Rooms, openMd5Room } from '../../platform/md5/md5-rooms.js';
import { endWork } from '../../platform/threads/end-work.js';
import { whenReady } from '../../format/chunk/when-ready.js';
import { readAccountNames } from '../scan/account-names.js';
import type { ChunkTask } from '../run/chunk-task.js';
import { type EntryTableData, openEntryTable } from '../../format/columns/entry-table.js';
import { ChunkPacker } from './pack-chunk.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import type { PackSettings } from './pack-state.js';
import { openSourceFs } from '../scan/open-source-fs.js';
import { openSource } from '../scan/united-source.js';

export type PackMessage =
  | {
      readonly type: 'open';
      readonly table: EntryTableData;
      readonly settings: PackSettings;
      readonly progress: SharedArrayBuffer;
      /** Memory for the frames of all threads, and the number of this one. */
      readonly rooms: Md5Rooms | undefined;
      readonly number: number;
    }
  | { readonly type: 'pack'; readonly task: ChunkTask; readonly output: SharedArrayBuffer }
  | { readonly type: 'close' };

export type PackReply =
  | {
      readonly type: 'packed';
      readonly chunk: Omit<PackedChunk, 'output'>;
      readonly output: SharedArrayBuffer;
      readonly start: number;
    }
  | { readonly type: 'failed'; readonly integrity: boolean; readonly message: string };

const port = parentPort;
// Loaded at once, while the main thread still scans; a failure shows with the first chunk.
const plain = openSourceFs();
let packer: ChunkPacker | undefined;
let opening: Extract<PackMessage, { type: 'open' }> | undefined;

function open(): ChunkPacker {
  if (opening === undefined) throw new ArchiverError('internal', 'a chunk came before the table');
  const { table, settings, progress, rooms, number } = opening;
  return new ChunkPacker({
    fs: openSource(settings.root, plain),
    table: openEntryTable(table),
    codec: loadCodec(),
    names: { ...readAccountNames(), provenance: settings.provenance },
    settings,
    progress: new Float64Array(progress),
    room: rooms && openMd5Room(rooms, number),
  });
}

function receive(message: PackMessage): void {
  if (message.type === 'close') {
    packer?.close(); // files that native code has opened are not closed with the thread
    packer = undefined;
    opening = undefined;
    endWork();
    return;
  }
  if (message.type === 'open') {
    opening = message;
    return;
  }
  try {
    packer ??= open();
    const { output, ...chunk } = packer.pack(message.task, Buffer.from(message.output));
    const buffer = output.buffer as SharedArrayBuffer;
    port?.postMessage({ type: 'packed', chunk, output: buffer, start: output.byteOffset } satisfies PackReply);
  } catch (error) {
    const integrity = isArchiverError(error, 'integrity');
    port?.postMessage({ type: 'failed', integrity, message: errorText(error) } satisfies PackReply);
  }
}

whenReady(() => port?.on('message', receive));
