// Keys as screens get them, and their source. Ink's own `useInput` is not used: it passes a chunk as one key (a held `j` over a slow line
// arrives as "jjj") and throws on some keys that it cannot name.
import { nameOfKey } from './key-names.js';
import { InputSplitter, type Piece } from './split-input.js';

export interface Key {
  /** `a`, `A`, `space`, `up`, `ctrl+c`, `shift+tab`, `paste`, ... */
  readonly id: string;
  /** Text that the key types; empty for keys that do not type. The lines of a paste end with `\n`. */
  readonly text: string;
}

export interface KeySource {
  /** Takes input from the terminal. */
  readonly write: (chunk: Buffer | string) => void;
  /** Emits a key as if it were typed now. */
  readonly press: (key: Key) => void;
  readonly subscribe: (listener: (key: Key) => void) => () => void;
  /** Drops a key whose sequence is incomplete. */
  readonly reset: () => void;
}

export interface KeySourceOptions {
  /** Keys for which it returns false are dropped. */
  readonly accepts?: (key: Key) => boolean;
  /** Gets errors of listeners; without it `write` throws them, and for an escape key they end the process. */
  readonly onError?: (error: unknown) => void;
}

// Sequences arrive in one piece or nearly so; a user who presses escape should not notice the delay.
const ESCAPE_MS = 50;

/** The emitter between the input and the screens; a test writes to it like a terminal. */
export function createKeySource({ accepts = () => true, onError }: KeySourceOptions = {}): KeySource {
  let splitter = new InputSplitter();
  const listeners = new Set<(key: Key) => void>();
  let timer: NodeJS.Timeout | undefined;
  const press = (key: Key): void => {
    if (!accepts(key)) return;
    try {
      listeners.forEach((listener) => listener(key));
    } catch (error) {
      if (onError === undefined) throw error;
      onError(error);
    }
  };
  const emit = (pieces: readonly Piece[]): void => pieces.flatMap(keysOf).forEach(press);
  return {
    write(chunk) {
      clearTimeout(timer);
      emit(splitter.push(Buffer.from(chunk)));
      if (splitter.isWaiting) timer = setTimeout(() => emit(splitter.flush()), ESCAPE_MS);
    },
    press,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reset() {
      clearTimeout(timer);
      splitter = new InputSplitter();
    },
  };
}

function keysOf({ kind, text }: Piece): Key[] {
  if (kind === 'character') return [{ id: text === ' ' ? 'space' : text, text }];
  if (kind === 'paste') return [{ id: 'paste', text }];
  const id = text === '\u001b' ? 'escape' : nameOfKey(text);
  return id === undefined ? [] : [{ id, text: '' }];
}
