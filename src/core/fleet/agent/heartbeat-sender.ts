// Sends the heartbeats of an agent, best effort. A heartbeat never fails or delays a backup: they are put one after another beside the
// cycle, and of several waiting ones only the newest is put.
//
// Before some of them the stored heartbeat is checked. One that this process has not put comes from another process with the same name,
// usually on a cloned machine. A listing shows this even to a writer that may not read.
import { hash } from 'node:crypto';
import { errorText, undefinedOn } from '../../platform/failures/errors.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { OpenedStore } from '../../store/open-store.js';
import { readAll } from '../../store/read-content.js';
import { quoted } from '../config/problems.js';
import { type Heartbeat, heartbeatBytes, heartbeatKey, MAX_HEARTBEAT_BYTES, parseHeartbeat } from '../heartbeat.js';

/** Time after which a heartbeat is given up when the store does not answer. */
const PATIENCE_MS = 30_000;
/** Two of each heartbeat. */
const OWN_TAGS = 8;

export interface HeartbeatSenderOptions {
  readonly writerId: string;
  /** Opens the base of the fleet. */
  readonly open: (signal: AbortSignal) => Promise<OpenedStore>;
  /** Called with the reason when a heartbeat could not be put. */
  readonly onTrouble: (text: string) => void;
}

interface Beat {
  readonly compose: () => Heartbeat;
  readonly looks: boolean;
}

export class HeartbeatSender {
  /** Describes another process that writes under this name, according to the last check. */
  clone: string | undefined;
  /** How far this computer's clock is ahead of the store's, by the last answer; undefined when the store does not say. */
  clockAheadMs: number | undefined;
  private waiting: Beat | undefined;
  private running: Promise<void> | undefined;
  /** ETags and digests of our own last heartbeats, the newest at the end: one that was given up may arrive later. Empty until one was put. */
  private own: readonly string[] = [];

  constructor(private readonly options: HeartbeatSenderOptions) {}

  /** Returns immediately. `compose` is called when the heartbeat is put; `looks` asks to check the stored heartbeat first. */
  send(compose: () => Heartbeat, looks = false): void {
    this.waiting = { compose, looks: looks || this.waiting?.looks === true };
    this.running ??= this.run();
  }

  /** Resolves when nothing is being sent, or after `ms`. */
  async settled(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    await Promise.race([this.running, late]);
    clearTimeout(timer);
  }

  private async run(): Promise<void> {
    for (let beat = this.waiting; beat !== undefined; beat = this.waiting) {
      this.waiting = undefined;
      try {
        await this.put(beat);
      } catch (error) {
        this.options.onTrouble(`the heartbeat could not be put: ${errorText(error)}`);
      }
    }
    this.running = undefined;
  }

  private async put({ compose, looks }: Beat): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const opened = await this.options.open(signal);
    const { store } = opened;
    try {
      if (looks && this.own.length > 0) this.clone = await this.findClone(store, signal);
      const body = heartbeatBytes(compose());
      // Added before the PUT, in case its answer is lost.
      this.know(hash('md5', body, 'hex'));
      const { etag } = await store.put(heartbeatKey(this.options.writerId), body, {
        contentType: 'application/json',
        signal,
      });
      this.clockAheadMs = opened.clockAheadMs?.();
      this.know(etag);
    } finally {
      opened.close();
    }
  }

  private know(tag: string): void {
    this.own = [...this.own, tag].slice(-OWN_TAGS);
  }

  /** Describes another process that put the stored heartbeat; undefined when it is our own, or when that is not known. */
  private async findClone(store: ObjectReader, signal: AbortSignal): Promise<string | undefined> {
    const key = heartbeatKey(this.options.writerId);
    const found = await ifAllowed(store, 'list', key, async () => {
      for await (const page of store.list({ prefix: key, signal }))
        for (const object of page.objects) if (object.key === key) return object;
      return undefined;
    });
    if (found === undefined || this.own.includes(found.etag)) return undefined;
    let isOwn = false;
    const other = await ifAllowed(store, 'read', key, async () => {
      const bytes = await readAll(await store.get(key, { signal }), MAX_HEARTBEAT_BYTES);
      // Where the store encrypts, an ETag is no digest. The instance id proves nothing: whoever has the key can write it, too.
      isOwn = this.own.includes(hash('md5', bytes, 'hex'));
      return parseHeartbeat(bytes);
    }).catch(undefinedOn('integrity', 'unsupported')); // whatever it is, it is not our own
    if (isOwn) return undefined;
    const who =
      other === undefined ? 'another process' : `process ${quoted(other.instanceId)} on ${quoted(other.host)}`;
    return `${who} writes as ${this.options.writerId}, too: was this machine cloned? Each needs a writer id of its own`;
  }
}
