// Makes waits cancellable that do not listen to a signal themselves (the SDK's for credentials: processes, STS, metadata
// services). The abandoned work continues in the background, and its result is dropped.
import { cancelledError } from '../platform/failures/errors.js';

/** Settles as `work` does. @throws `cancelled` as soon as the signal fires */
export function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const cancel = (): void => reject(cancelledError());
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  });
}
