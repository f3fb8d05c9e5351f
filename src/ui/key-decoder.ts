// Bytes from a terminal in raw mode to keys. Several keys may come in one chunk, and a character or a sequence may be
// spread over chunks. What no key is known for is dropped; no bytes whatever make this throw. Ink's own `useInput` is not
// used: it takes a chunk for one key, and some sequences crash it.
import { StringDecoder } from 'node:string_decoder';

export type Letter =
  | 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm'
  | 'n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z'; // prettier-ignore

type Movement = 'up' | 'down' | 'left' | 'right' | 'home' | 'end' | 'pageup' | 'pagedown' | 'delete';

export type KeyName =
  | Movement
  | `${'shift' | 'alt' | 'ctrl'}+${Movement}`
  | 'enter'
  | 'tab'
  | 'shift+tab'
  | 'escape'
  | 'backspace'
  | 'alt+backspace'
  | 'alt+enter'
  | `alt+${Letter}`
  | `ctrl+${Letter}`;

/** A key; `text` holds one character as a person counts them, `paste` all that was pasted, lines ended by `\n`. */
export type Key =
  | { readonly name: 'text'; readonly text: string }
  | { readonly name: 'paste'; readonly text: string }
  | { readonly name: KeyName };

/** What the decoder makes of the front of its input. */
interface Step {
  readonly keys: readonly Key[];
  readonly length: number;
}

const MOVEMENT_BY_FINAL: Readonly<Record<string, Movement>> = {
  A: 'up', B: 'down', C: 'right', D: 'left', F: 'end', H: 'home',
}; // prettier-ignore
/** The first parameter of `ESC [ n ~`; 1, 4, 7 and 8 are those of older terminals. */
const MOVEMENT_BY_NUMBER: Readonly<Record<string, Movement>> = {
  1: 'home', 3: 'delete', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end',
}; // prettier-ignore
/** xterm: one more than the sum of 1 shift, 2 alt, 4 ctrl; the strongest alone counts. */
const MODIFIERS = ['', '', 'shift+', 'alt+', 'alt+', 'ctrl+', 'ctrl+', 'ctrl+', 'ctrl+'] as const;

const ESC = '\u001b';
const PASTE_END = `${ESC}[201~`;
/** A sequence that is longer is none; a paste is given out in pieces of this size. */
const MAX_SEQUENCE = 4096;
const MAX_PASTE = 1 << 20;

// oxlint-disable-next-line no-control-regex
const CSI = /^\x1b\[([0-?]*)[ -/]*([@-~])/;
// oxlint-disable-next-line no-control-regex
const CSI_SO_FAR = /^\x1b\[[0-?]*[ -/]*$/;
// Answers of the terminal that nobody asked for: OSC, DCS, SOS, PM, APC, each up to BEL or ESC \.
// oxlint-disable-next-line no-control-regex
const STRING = /^\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/;
// oxlint-disable-next-line no-control-regex
const STRING_SO_FAR = /^\x1b[\]PX^_][^\x07\x1b]*\x1b?$/;
// oxlint-disable-next-line no-control-regex
const TEXT = /^[^\x00-\x1f\x7f-\x9f]+/;

const segmenter = new Intl.Segmenter();
const nothing = (length: number): Step => ({ keys: [], length });
const one = (name: KeyName, length = 1): Step => ({ keys: [{ name }], length });
const isLetter = (text: string): text is Letter => /^[a-z]$/.test(text);
const linesOf = (pasted: string): string => pasted.replaceAll(/\r\n?/g, '\n');

/** Turns bytes into keys; keeps what is not complete for the next chunk. */
export class KeyDecoder {
  private readonly utf8 = new StringDecoder('utf8');
  private rest = '';
  private isPasting = false;

  /** The keys that are complete with these bytes. */
  push(bytes: Buffer): Key[] {
    this.rest += this.utf8.write(bytes);
    const keys: Key[] = [];
    for (;;) {
      const step = this.step();
      if (step === undefined) return keys;
      keys.push(...step.keys);
      this.rest = this.rest.slice(step.length);
    }
  }

  /** Something has begun that may be a key by itself: `flush` says that nothing more came. */
  get isWaiting(): boolean {
    return this.rest !== '' && !this.isPasting;
  }

  /** Nothing followed: a lone ESC is the escape key, any other beginning is dropped. */
  flush(): Key[] {
    if (!this.isWaiting) return [];
    const keys: Key[] = this.rest === ESC ? [{ name: 'escape' }] : [];
    this.rest = '';
    return keys;
  }

  /** The first thing in `rest`; undefined when it is not complete. */
  private step(): Step | undefined {
    const { rest } = this;
    if (this.isPasting) return this.paste();
    if (rest === '') return undefined;
    if (rest.startsWith(ESC)) return this.sequence();
    const text = TEXT.exec(rest)?.[0];
    return text === undefined ? control(rest.charCodeAt(0)) : typed(text);
  }

  private paste(): Step | undefined {
    const end = this.rest.indexOf(PASTE_END);
    if (end < 0 && this.rest.length < MAX_PASTE) return undefined;
    // The last characters may be the beginning of the end.
    const length = end < 0 ? this.rest.length - PASTE_END.length : end;
    if (end >= 0) this.isPasting = false;
    const text = linesOf(this.rest.slice(0, length));
    const keys: Key[] = text === '' ? [] : [{ name: 'paste', text }];
    return { keys, length: end < 0 ? length : end + PASTE_END.length };
  }

  private sequence(): Step | undefined {
    const { rest } = this;
    const complete = CSI.exec(rest);
    if (complete !== null) return this.controlSequence(complete);
    const string = STRING.exec(rest);
    if (string !== null) return nothing(string[0].length);
    const isOpen = rest === ESC || rest === `${ESC}O` || CSI_SO_FAR.test(rest) || STRING_SO_FAR.test(rest);
    if (isOpen) return rest.length < MAX_SEQUENCE ? undefined : nothing(rest.length);
    return alternate(rest);
  }

  private controlSequence([whole, parameters = '', final = '']: RegExpExecArray): Step | undefined {
    const [first = '', second = ''] = parameters.split(';');
    // The Linux console: F1 to F5 are ESC [ [ A to E.
    if (final === '[') return this.rest.length > whole.length ? nothing(whole.length + 1) : undefined;
    if (final === 'Z') return one('shift+tab', whole.length);
    if (final === '~' && first === '200') {
      this.isPasting = true;
      return nothing(whole.length);
    }
    const movement = final === '~' ? MOVEMENT_BY_NUMBER[first] : MOVEMENT_BY_FINAL[final];
    return movement === undefined ? nothing(whole.length) : one(modified(movement, second), whole.length);
  }
}

const modified = (movement: Movement, modifier: string): KeyName => `${MODIFIERS[Number(modifier)] ?? ''}${movement}`;

const typed = (text: string): Step => ({
  keys: Array.from(segmenter.segment(text), ({ segment }) => ({ name: 'text', text: segment })),
  length: text.length,
});

function control(code: number): Step {
  if (code === 0x0d || code === 0x0a) return one('enter');
  if (code === 0x09) return one('tab');
  if (code === 0x7f || code === 0x08) return one('backspace');
  const letter = String.fromCharCode(code + 0x60);
  return isLetter(letter) ? one(`ctrl+${letter}`) : nothing(1);
}

/** ESC and one more: a key with alt, or `ESC O A`, an arrow of terminals in application mode. */
function alternate(rest: string): Step {
  const next = rest.charAt(1);
  if (next === 'O') {
    const movement = MOVEMENT_BY_FINAL[rest.charAt(2)];
    return movement === undefined ? nothing(3) : one(movement, 3);
  }
  if (next === ESC) return one('escape');
  if (next === '\r' || next === '\n') return one('alt+enter', 2);
  if (next === '\u007f' || next === '\u0008') return one('alt+backspace', 2);
  // A sequence that broke off: what broke it is looked at by itself.
  if (next === '[' || /[\]PX^_]/.test(next)) return nothing(2);
  const letter = next.toLowerCase();
  return isLetter(letter) ? one(`alt+${letter}`, 2) : nothing(2);
}
