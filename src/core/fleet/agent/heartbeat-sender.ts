// Puts the heartbeats of an agent: best effort. A beat never fails a backup and never holds it up: beats go one after
// another beside the cycle, and of those that wait only the newest is put.
//
// Before some of them it is looked whose heartbeat lies there. One that this process has not put comes from another one with
// the same name: a machine that was cloned. A listing tells that also to a writer that may read nothing.
import { hash } from 'node:crypto';
import { errorText, noneOn } from '../../platform/failures/errors.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { OpenedStore } from '../../store/open-store.js';
import { readAll } from '../../store/read-content.js';
import { quoted } from '../config/problems.js';
import { type Heartbeat, heartbeatBytes, heartbeatKey, MAX_HEARTBEAT_BYTES, parseHeartbeat } from '../heartbeat.js';

/** A store that does not answer is given up for this beat. */
const PATIENCE_MS = 30_000;

export interface HeartbeatSenderOptions {
  readonly writerId: string;
  readonly instanceId: string;
  /** Opens the base of the fleet. */
  readonly open: (signal: AbortSignal) => Promise<OpenedStore>;
  /** Told why a heartbeat could not be put. */
  readonly onTrouble: (text: string) => void;
}

interface Beat {
  readonly compose: () => Heartbeat;
  readonly looks: boolean;
}

export class HeartbeatSender {
  /** The other process that writes under this name, as the last look has shown. */
  clone: string | undefined;
  private waiting: Beat | undefined;
  private running: Promise<void> | undefined;
  /** ETags that our own heartbeats may have; none until one was put. */
  private own = new Set<string>();

  constructor(private readonly options: HeartbeatSenderOptions) {}

  /** Returns at once. `compose` is called when it is put; `looks`: after a look at what lies there. */
  send(compose: () => Heartbeat, looks = false): void {
    this.waiting = { compose, looks: looks || this.waiting?.looks === true };
    this.running ??= this.run();
  }

  /** Resolves when nothing is under way, or after `ms`. */
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
      if (looks && this.own.size > 0) this.clone = await this.lookFor(store, signal);
      const body = heartbeatBytes(compose());
      // An answer that is lost leaves one of these.
      this.own.add(hash('md5', body, 'hex'));
      const { etag } = await store.put(heartbeatKey(this.options.writerId), body, {
        contentType: 'application/json',
        signal,
      });
      this.own = new Set([etag, hash('md5', body, 'hex')]);
    } finally {
      opened.close();
    }
  }

  /** Undefined where what lies there is our own, or where that cannot be known. */
  private async lookFor(store: ObjectReader, signal: AbortSignal): Promise<string | undefined> {
    const key = heartbeatKey(this.options.writerId);
    const found = await ifAllowed(store, 'list', key, async () => {
      for await (const page of store.list({ prefix: key, signal }))
        for (const object of page.objects) if (object.key === key) return object;
      return undefined;
    });
    if (found === undefined || this.own.has(found.etag)) return undefined;
    const other = await ifAllowed(store, 'read', key, async () =>
      parseHeartbeat(await readAll(await store.get(key, { signal }), MAX_HEARTBEAT_BYTES)),
    ).catch(noneOn('integrity', 'unsupported')); // it is not our own, whatever it is
    if (other?.instanceId === this.options.instanceId) return undefined;
    const who =
      other === undefined ? 'another process' : `process ${quoted(other.instanceId)} on ${quoted(other.host)}`;
    return `${who} writes as ${this.options.writerId}, too: was this machine cloned? Each needs a writer id of its own`;
  }
}
