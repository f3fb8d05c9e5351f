// A connection to the inspector of this process: to its main thread, and each worker thread while it runs. No port is opened.
import type { Session } from 'node:inspector';
import { ArchiverError, errorText } from '../../platform/failures/errors.js';
import { runningThreads, threadExitHooks } from '../../platform/threads/threads.js';

/** A thread as the inspector sees it. */
export interface InspectedThread {
  /** Such as `main` or `pack-worker 3`. */
  readonly name: string;
  /** Sends a command. @throws the inspector's error, and when the thread does not answer */
  readonly post: (method: string, params?: object) => Promise<unknown>;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Handlers {
  readonly started: (thread: InspectedThread) => Promise<void>;
  /** Called when a thread ends; the thread waits for it. */
  readonly leaving: (thread: InspectedThread) => Promise<void>;
}

/** Time limit for an answer; a thread in a system call does not respond. */
const ANSWER_MS = 5_000;

export class Inspection {
  private readonly threads = new Map<string, InspectedThread & { readonly threadId: number }>();
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private lastId = 0;
  private readonly leave = async (threadId: number): Promise<void> => {
    const thread = [...this.threads.values()].find((one) => one.threadId === threadId);
    if (thread !== undefined) await this.handlers.leaving(thread);
  };

  private constructor(
    private readonly session: Session,
    private readonly handlers: Handlers,
  ) {
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      const threadId = Number(/\[worker (\d+)\]/.exec(workerInfo.title)?.[1] ?? workerInfo.workerId);
      const post = async (method: string, params = {}) => await this.ask(sessionId, method, params);
      const thread = { name: runningThreads.get(threadId) ?? `worker ${threadId}`, threadId, post };
      this.threads.set(sessionId, thread);
      handlers.started(thread).catch(() => this.threads.delete(sessionId)); // it has ended
    });
    session.on('NodeWorker.detachedFromWorker', ({ params }) => void this.threads.delete(params.sessionId));
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
      const answer = JSON.parse(message) as Answer;
      this.waiting.get(answer.id ?? 0)?.(answer);
    });
    threadExitHooks.add(this.leave);
  }

  /** @throws unsupported when this Node has no inspector */
  static async open(handlers: Handlers): Promise<Inspection> {
    const { Session } = await import('node:inspector').catch((error: unknown) => {
      throw new ArchiverError('unsupported', `this Node.js has no inspector: ${errorText(error)}`, {
        hint: 'use a Node.js that was built with it, as those of nodejs.org are',
      });
    });
    const session = new Session();
    session.connect();
    const inspection = new Inspection(session, handlers);
    await handlers.started(inspection.main);
    await inspection.main.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspection;
  }

  /** The main thread. */
  readonly main: InspectedThread = {
    name: 'main',
    post: async (method, params = {}) =>
      await new Promise<unknown>((resolve, reject) => {
        this.session.post(method, params, (error, result) =>
          error === null ? resolve(result) : reject(new Error(`${method}: ${error.message}`)),
        );
      }),
  };

  /** Returns all running threads, the main thread first. */
  all(): readonly InspectedThread[] {
    return [this.main, ...this.threads.values()];
  }

  on(event: string, listener: (message: { params: never }) => void): void {
    this.session.on(event, listener);
  }

  close(): void {
    threadExitHooks.delete(this.leave);
    this.session.disconnect();
  }

  private async ask(sessionId: string, method: string, params: object): Promise<unknown> {
    const id = ++this.lastId;
    let timer: NodeJS.Timeout | undefined;
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`${method}: the thread does not answer`)), ANSWER_MS);
        this.waiting.set(id, resolve);
        const message = JSON.stringify({ id, method, params });
        this.session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, (error) => {
          if (error !== null) reject(error);
        });
      });
      if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
      return answer.result;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }
}
