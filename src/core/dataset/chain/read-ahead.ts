// Parses a stream of batches while its consumer is still waiting for something else. Bounded; closed with its consumer.

/** Starts reading `source` at once: its first batch is made before it is asked for, and each other one when it is. It can be iterated once. */
export function begun<T>(source: AsyncIterable<T>): AsyncIterable<T> & { close(): Promise<void> } {
  const iterator = source[Symbol.asyncIterator]();
  const first = iterator.next();
  first.catch(() => undefined); // the consumer gets the error
  const close = async (): Promise<void> => void (await iterator.return?.());
  return {
    close,
    async *[Symbol.asyncIterator]() {
      try {
        for (let result = await first; result.done !== true; result = await iterator.next()) yield result.value;
      } finally {
        await close();
      }
    },
  };
}

/** Starts reading `source` at once, at most `limit` batches ahead of the consumer. It can be iterated once. */
export function readAhead<T>(source: AsyncIterable<T>, limit: number): AsyncIterable<T> & { close(): Promise<void> } {
  const iterator = source[Symbol.asyncIterator]();
  const waiting: Promise<IteratorResult<T>>[] = [];
  let isOver = false;
  const fill = (): void => {
    if (isOver || waiting.length >= limit) return;
    const next = iterator.next();
    waiting.push(next);
    next.then(
      ({ done }) => {
        isOver ||= done === true;
        fill();
      },
      () => (isOver = true), // the consumer gets the error
    );
  };
  fill();
  const close = async (): Promise<void> => {
    isOver = true;
    await iterator.return?.();
  };
  return {
    close,
    async *[Symbol.asyncIterator]() {
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const result = await next;
          if (result.done === true) return;
          yield result.value;
          if (waiting.length === 0) fill();
        }
      } finally {
        await close();
      }
    },
  };
}
