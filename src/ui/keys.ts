// Keys as the screens see them, and where they come from. Ink's own `useInput` is not used: it hands over a chunk as one
// key (a held `j` over a slow line comes as "jjj") and throws on some keys that it cannot name.
import { type Key as DecodedKey, KeyDecoder } from './key-decoder.js';

export interface Key {
  /** `a`, `A`, `space`, `up`, `ctrl+c`, `shift+tab`, `paste`, ... */
  readonly id: string;
  /** What the key types; empty for keys that do not type. The lines of a paste end with `\n`. */
  readonly text: string;
}

export interface KeySource {
  /** Takes what the terminal has sent. */
  readonly write: (chunk: Buffer | string) => void;
  readonly subscribe: (listener: (key: Key) => void) => () => void;
  /** Forgets a key that has only begun. */
  readonly reset: () => void;
}

export interface KeySourceOptions {
  /** Keys for which it says no go to nobody. */
  readonly accepts?: (key: Key) => boolean;
  /** Told of what a listener throws; without it `write` throws it, or an escape key the process. */
  readonly onError?: (error: unknown) => void;
}

// Sequences come in one piece or nearly so; a person who pressed escape should not notice.
const ESCAPE_MS = 50;

/** The emitter between the input and the screens; a test writes to it what a terminal would send. */
export function createKeySource({ accepts = () => true, onError }: KeySourceOptions = {}): KeySource {
  let decoder = new KeyDecoder();
  const listeners = new Set<(key: Key) => void>();
  let timer: NodeJS.Timeout | undefined;
  const emit = (keys: readonly DecodedKey[]): void => {
    try {
      for (const key of keys.map(keyOf).filter(accepts)) listeners.forEach((listener) => listener(key));
    } catch (error) {
      if (onError === undefined) throw error;
      onError(error);
    }
  };
  return {
    write(chunk) {
      clearTimeout(timer);
      emit(decoder.push(Buffer.from(chunk)));
      if (decoder.isWaiting) timer = setTimeout(() => emit(decoder.flush()), ESCAPE_MS);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reset() {
      clearTimeout(timer);
      decoder = new KeyDecoder();
    },
  };
}

/** A key of the decoder as the screens see it. */
export function keyOf(key: DecodedKey): Key {
  if (key.name === 'text') return { id: key.text === ' ' ? 'space' : key.text, text: key.text };
  return { id: key.name, text: key.name === 'paste' ? key.text : '' };
}
