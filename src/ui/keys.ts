// Keys as screens get them, and their source. Ink's own `useInput` is not used: it passes a chunk as one key (a held `j` over a slow line
// arrives as "jjj") and throws on some keys that it cannot name.
import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
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

// Names keys by the sequences they send, as Node does: its keypress events know the sequences of xterm, rxvt, PuTTY, Cygwin and the Linux
// console.

interface Keypress {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

const RENAMED: Readonly<Record<string, string>> = { return: 'enter' };
/** Keys that screens can use; letters are used with alt and ctrl. */
const NAMED = /^(?:up|down|left|right|home|end|pageup|pagedown|delete|enter|tab|backspace|escape|[a-z])$/;

/**
 * The name of the key that sends exactly this sequence: `up`, `ctrl+c`, `shift+tab`, `alt+backspace`. Of several modifiers the strongest
 * counts. Undefined when it is not a key in use.
 */
function nameOfKey(sequence: string): string | undefined {
  // A new stream for each sequence: Node waits for more after some whole sequences (ESC O 5), and would take the next key for that.
  const input = new PassThrough();
  const heard: Keypress[] = [];
  emitKeypressEvents(input);
  input.on('keypress', (_: unknown, key: Keypress) => heard.push(key));
  // Emitted instead of written, so that it is handled at once.
  input.emit('data', Buffer.from(sequence));
  const [key, ...others] = heard;
  if (key?.name === undefined || key.sequence !== sequence || others.length > 0) return undefined;
  const name = RENAMED[key.name] ?? key.name;
  return NAMED.test(name) ? modifier(key) + name : undefined;
}

function modifier({ ctrl = false, meta = false, shift = false }: Keypress): string {
  if (ctrl) return 'ctrl+';
  if (meta) return 'alt+';
  return shift ? 'shift+' : '';
}
