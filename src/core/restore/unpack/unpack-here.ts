// An unpack worker without a thread of its own, for so little work that starting one takes longer. Its code is loaded while the bytes are
// fetched.
import { ArchiverError, errorText } from '../../platform/failures/errors.js';
import { ready } from '../../format/chunk/when-ready.js';
import type { FromWorker, ToWorker } from './unpack-protocol.js';
import type { UnpackWork } from './unpack-work.js';

export interface UnpackHereOptions {
  readonly onMessage: (message: FromWorker) => void;
  /** Called at most once, and never by the constructor. */
  readonly onFailure: (error: ArchiverError) => void;
}

export class UnpackHere {
  private readonly work: Promise<UnpackWork>;
  /** What was posted is handled in its turn, after whoever has posted it. */
  private turn: Promise<void>;
  private hasFailed = false;
  private isClosing = false;

  constructor(private readonly options: UnpackHereOptions) {
    this.work = this.load();
    this.turn = this.guarded(async () => void (await this.work));
  }

  private async load(): Promise<UnpackWork> {
    const [{ UnpackWork }] = await Promise.all([import('./unpack-work.js'), ready()]);
    return new UnpackWork({ post: this.options.onMessage, onClosed: () => undefined, isAlone: false });
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.hasFailed) return;
      this.hasFailed = true;
      this.options.onFailure(new ArchiverError('internal', `unpacking failed: ${errorText(error)}`, { cause: error }));
    }
  }

  /** Sends a message; does nothing once this was closed. */
  post(message: ToWorker): void {
    if (this.isClosing) return;
    const before = this.turn;
    this.turn = this.guarded(async () => {
      await before;
      (await this.work).receive(message);
    });
  }

  /** Handles what was posted, and `message` as the last. */
  async close(message: ToWorker): Promise<void> {
    this.post(message);
    this.isClosing = true;
    await this.turn;
  }
}
