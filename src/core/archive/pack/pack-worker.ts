// Worker thread: packs the chunks it is given, one at a time, into buffers that both threads see.
import { parentPort } from 'node:worker_threads';
import { loadCodec } from '../../platform/codec/codec.js';
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import { openMd5Room } from '../../platform/md5/md5-rooms.js';
import { endWork } from '../../platform/threads/end-work.js';
import { whenReady } from '../../format/chunk/when-ready.js';
import { readAccountNames } from '../scan/account-names.js';
import type { ChunkTask } from '../run/chunk-task.js';
import { type EntryTableData, openEntryTable } from '../../format/columns/entry-table.js';
import { ChunkPacker, type UnfinishedChunk } from './pack-chunk.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import type { DeskData } from './frame-desk.js';
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
      readonly desk: DeskData | undefined;
      readonly number: number;
    }
  | { readonly type: 'pack'; readonly task: ChunkTask; readonly output: SharedArrayBuffer }
  /** To compress what other threads lay down, as long as `callHelper` says so. */
  | { readonly type: 'help' }
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
/** A chunk of which frames are being compressed by other threads: it is finished when the next is read. */
let unfinished: UnfinishedChunk | undefined;
let opening: Extract<PackMessage, { type: 'open' }> | undefined;

function open(): ChunkPacker {
  if (opening === undefined) throw new ArchiverError('internal', 'a chunk came before the table');
  const { table, settings, progress, desk, number } = opening;
  return new ChunkPacker({
    fs: openSource(settings.root, plain),
    table: openEntryTable(table),
    codec: loadCodec(),
    names: { ...readAccountNames(), provenance: settings.provenance },
    settings,
    progress: new Float64Array(progress),
    room: desk && openMd5Room(desk.rooms, number),
    desk: desk && { data: desk, thread: number },
  });
}

function receive(message: PackMessage): void {
  if (message.type === 'close') {
    packer?.close(); // files that native code has opened are not closed with the thread
    packer = unfinished = undefined;
    opening = undefined;
    endWork();
    return;
  }
  if (message.type === 'open') {
    opening = message;
    packer?.reopen(openEntryTable(message.table), message.settings);
    return;
  }
  if (message.type === 'pack') attempt(() => pack((packer ??= open()), message));
  else help();
}

/** Helps for a while, and then again; ends when it is not wanted, or the work was ended meanwhile. */
function help(): void {
  if (opening === undefined) return;
  try {
    packer ??= open();
  } catch {
    return; // it says so when it is to pack
  }
  if (packer.help()) setImmediate(help);
}

function pack(packing: ChunkPacker, { task, output }: Extract<PackMessage, { type: 'pack' }>): void {
  const before = unfinished;
  unfinished = undefined;
  let packed: UnfinishedChunk | undefined;
  let failure: { readonly error: unknown } | undefined;
  try {
    packed = packing.pack(task, Buffer.from(output));
  } catch (error) {
    failure = { error };
  }
  // Replies come in the order of the messages.
  if (before !== undefined) attempt(() => finish(packing, before));
  if (failure !== undefined) throw failure.error;
  if (packed === undefined) return;
  if (packed.chunk.laid.length === 0) finish(packing, packed);
  else {
    unfinished = packed;
    setImmediate(finishLast, packing, packed); // unless a chunk follows
  }
}

function finishLast(packing: ChunkPacker, packed: UnfinishedChunk): void {
  if (unfinished !== packed) return;
  unfinished = undefined;
  attempt(() => finish(packing, packed));
}

function finish(packing: ChunkPacker, packed: UnfinishedChunk): void {
  const { output, ...chunk } = packing.finish(packed);
  const buffer = output.buffer as SharedArrayBuffer;
  port?.postMessage({ type: 'packed', chunk, output: buffer, start: output.byteOffset } satisfies PackReply);
}

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    const integrity = isArchiverError(error, 'integrity');
    port?.postMessage({ type: 'failed', integrity, message: errorText(error) } satisfies PackReply);
  }
}

whenReady(() => port?.on('message', receive));
