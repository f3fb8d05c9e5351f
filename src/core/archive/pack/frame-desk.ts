// Where a thread lays down full frames for threads that have nothing to pack: they compress them while it fills another room, so that one
// huge file is packed by all cores. Frames are what they would be without help, in the same order. All rooms lie in one shared memory; a room
// belongs to one thread at a time, as its status says, and a frame is compressed where it lies.
import { hash } from 'node:crypto';
import { makeMd5Rooms, type Md5Rooms, roomAt } from '../../platform/md5/md5-rooms.js';
import type { FrameCompressor } from './frame-compressor.js';

/** The status of a room. `held`: a thread fills it. `refused`: it could not be compressed where it lies; its content is as it was. */
const STATUS = { held: 0, free: 1, offered: 2, taken: 3, done: 4, refused: 5 } as const;

/** Words of a room: its status, the bytes of the frame and their level, then the size of the compressed frame and its SHA-256. */
const LENGTH = 1;
const LEVEL = 2;
const SIZE = 3;
const SHA256 = 4;
const ROOM_WORDS = SHA256 + 8;
/** Words before those of rooms: a number that changes with everything that somebody may wait for, and how many threads help. */
const TURN = 0;
const HELPERS = 1;
const FIRST_WORDS = 2;

/** A thread that waits looks this often whether the upload was stopped, in ms. */
const LOOK_MS = 500;
/** A thread that helps listens to messages this often, in ms: profilers ask it, too. */
const HELP_MS = 1000;

/** As it is sent to the threads. */
export interface DeskData {
  readonly rooms: Md5Rooms;
  readonly words: SharedArrayBuffer;
}

/** Makes a room of `bytes` for each thread, and one more; undefined as for `makeMd5Rooms`. */
export function makeDesk(threads: number, bytes: number): DeskData | undefined {
  const rooms = makeMd5Rooms(threads + 1, bytes);
  if (rooms === undefined) return undefined;
  const words = new SharedArrayBuffer((FIRST_WORDS + rooms.count * (ROOM_WORDS + 1)) * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(words)[statusAt(threads)] = STATUS.free;
  return { rooms, words };
}

const statusAt = (room: number): number => FIRST_WORDS + room * ROOM_WORDS;
const callAt = ({ rooms }: DeskData, thread: number): number => statusAt(rooms.count) + thread;

/** Says whether a thread that was asked to help is to go on. */
export function callHelper(desk: DeskData, thread: number, isCalled: boolean): void {
  const words = new Int32Array(desk.words);
  Atomics.store(words, callAt(desk, thread), Number(isCalled));
  Atomics.add(words, TURN, 1);
  Atomics.notify(words, TURN);
}

export interface DeskUse {
  readonly data: DeskData;
  /** Number of the calling thread, and of the room that it holds at first. */
  readonly thread: number;
  /** Ends waiting when the upload is stopped. */
  readonly throwIfStopping: () => void;
}

export interface CompressedFrame {
  readonly stored: Buffer;
  readonly rawSize: number;
  readonly sha256: string;
}

export class FrameDesk {
  private readonly words: Int32Array;
  private scratch: Buffer | undefined;

  constructor(
    private readonly use: DeskUse,
    private readonly compressor: FrameCompressor,
  ) {
    this.words = new Int32Array(use.data.words);
  }

  /** Whether anybody helps at this moment. */
  get hasHelpers(): boolean {
    return Atomics.load(this.words, HELPERS) > 0;
  }

  buffer(room: number): Buffer {
    return roomAt(this.use.data.rooms, room);
  }

  /** Changes with everything that is done at the desk. Read it before a look at rooms, and hand it to `wait` when there was nothing. */
  get turn(): number {
    return Atomics.load(this.words, TURN);
  }

  /** Waits until something has been done since `turn`. @throws cancelled when the upload is stopped */
  wait(turn: number): void {
    this.use.throwIfStopping();
    Atomics.wait(this.words, TURN, turn, LOOK_MS);
  }

  /** Lays down a held room with a frame of `length` bytes. */
  offer(room: number, length: number, level: number): void {
    const at = statusAt(room);
    this.words[at + LENGTH] = length;
    this.words[at + LEVEL] = level;
    this.set(room, STATUS.offered);
  }

  /** Takes back what nobody has begun to compress; false otherwise. */
  takeBack(room: number): boolean {
    return this.change(room, STATUS.offered, STATUS.held);
  }

  /** Gives up a room. */
  free(room: number): void {
    this.set(room, STATUS.free);
  }

  /** Returns a free room, which the caller holds from now on. */
  takeFree(): number | undefined {
    return this.find(STATUS.free, STATUS.held);
  }

  /** The frame of a room, valid until the room is freed; the bytes that it was made of, if it was refused; undefined while it is not done. */
  result(room: number): CompressedFrame | { readonly raw: Buffer } | undefined {
    const at = statusAt(room);
    const status = Atomics.load(this.words, at);
    const rawSize = this.words[at + LENGTH] ?? 0;
    if (status === STATUS.refused) return { raw: this.buffer(room).subarray(0, rawSize) };
    if (status !== STATUS.done) return undefined;
    const sha256 = Buffer.from(this.use.data.words, (at + SHA256) * Int32Array.BYTES_PER_ELEMENT, 32).toString('hex');
    return { stored: this.buffer(room).subarray(0, this.words[at + SIZE]), rawSize, sha256 };
  }

  /** Compresses the frame of a room where it lies. */
  compress(room: number): void {
    this.set(room, this.isCompressed(room) ? STATUS.done : STATUS.refused);
  }

  private isCompressed(room: number): boolean {
    const at = statusAt(room);
    const frame = this.buffer(room);
    try {
      this.scratch ??= Buffer.allocUnsafeSlow(frame.length);
      const raw = frame.subarray(0, this.words[at + LENGTH]);
      const stored = this.compressor.compress(this.scratch, raw, this.words[at + LEVEL] ?? 0);
      const digest = Buffer.from(this.use.data.words, (at + SHA256) * Int32Array.BYTES_PER_ELEMENT, 32);
      digest.write(hash('sha256', stored), 'hex');
      this.words[at + SIZE] = stored.copy(frame);
      return true;
    } catch {
      return false; // who has laid it down compresses it once more, and says what is wrong
    }
  }

  /** Whether the main thread wants the calling thread to help. */
  get isCalled(): boolean {
    return Atomics.load(this.words, callAt(this.use.data, this.use.thread)) === 1;
  }

  /** Compresses what others lay down, while the calling thread is called, and for about `ms`. It holds no room. */
  help(ms = HELP_MS): void {
    const { words } = this;
    const end = performance.now() + ms;
    Atomics.add(words, HELPERS, 1);
    for (let left = ms; left > 0; left = end - performance.now()) {
      const { turn } = this;
      if (!this.isCalled) break;
      const room = this.find(STATUS.offered, STATUS.taken);
      if (room === undefined) Atomics.wait(words, TURN, turn, left);
      else this.compress(room);
    }
    Atomics.sub(words, HELPERS, 1);
  }

  private find(from: number, to: number): number | undefined {
    for (let room = 0; room < this.use.data.rooms.count; room++) if (this.change(room, from, to)) return room;
    return undefined;
  }

  private change(room: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.words, statusAt(room), from, to) === from;
  }

  private set(room: number, status: number): void {
    Atomics.store(this.words, statusAt(room), status);
    Atomics.add(this.words, TURN, 1);
    Atomics.notify(this.words, TURN);
  }
}
