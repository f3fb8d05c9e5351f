// Splits the input from a terminal into pieces, each of which is one key at most. Node's keypress events get these wrong:
// - a character of several code points (an emoji, an accent that follows its letter) comes as several keys;
// - an unsolicited answer of the terminal (OSC, DCS, CSI ? and CSI <) is typed as text;
// - in a paste, the beginning of a sequence swallows the mark that ends it, and then every key counts as pasted for ever; a paste
//   of 1 MiB is a million events;
// - an incomplete sequence waits for ever and swallows the next key, even ctrl+c.
import { StringDecoder } from 'node:string_decoder';
import { graphemes } from './text.js';

export type Piece =
  /** One user-perceived character. */
  | { readonly kind: 'character'; readonly text: string }
  /** Pasted text, with lines ended by `\n`. */
  | { readonly kind: 'paste'; readonly text: string }
  /** A control character or a whole escape sequence. */
  | { readonly kind: 'sequence'; readonly text: string };

/** Pieces made from the front of the input, and the length of that. */
interface Step {
  readonly pieces: readonly Piece[];
  readonly length: number;
}

const ESC = '\u001b';
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** A longer sequence is invalid; a longer paste is returned in pieces of this size. */
const MAX_SEQUENCE = 4096;
const MAX_PASTE = 1 << 20;

// oxlint-disable-next-line no-control-regex
const TEXT = /^[^\x00-\x1f\x7f-\x9f]+/;
// The Linux console sends ESC [ [ A for F1.
// oxlint-disable-next-line no-control-regex
const CONTROL_SEQUENCE = /^\x1b\[(?:\[[^]|[0-?]*[ -/]*[@-Z\\-~])/;
// SS3 (arrows of terminals in application mode), or alt and a key.
// oxlint-disable-next-line no-control-regex
const SHORT_SEQUENCE = /^\x1b(?:O[^]|[^\x1b[\]PX^_O])/u;
// OSC, DCS, SOS, PM and APC, each up to BEL or ESC \.
// oxlint-disable-next-line no-control-regex
const ANSWER = /^\x1b(?:[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\[[<=>?][0-?]*[ -/]*[@-~])/;
// oxlint-disable-next-line no-control-regex
const UNFINISHED = /^\x1b(?:O|\[\[?|\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)?$/;

const nothing = (length: number): Step => ({ pieces: [], length });
const sequence = (text: string): Step => ({ pieces: [{ kind: 'sequence', text }], length: text.length });

/** Splits bytes into pieces; keeps an incomplete one for the next chunk. No input makes it throw. */
export class InputSplitter {
  private readonly utf8 = new StringDecoder('utf8');
  private rest = '';
  private isPasting = false;

  /** Returns the pieces that these bytes complete. */
  push(bytes: Buffer): Piece[] {
    this.rest += this.utf8.write(bytes);
    const pieces: Piece[] = [];
    for (;;) {
      const step = this.isPasting ? this.paste() : this.step();
      if (step === undefined) return pieces;
      pieces.push(...step.pieces);
      this.rest = this.rest.slice(step.length);
    }
  }

  /** True when the input ends with the beginning of a sequence that may be a key by itself: call `flush` when nothing more arrives. */
  get isWaiting(): boolean {
    return this.rest !== '' && !this.isPasting;
  }

  /** Ends the wait: a lone ESC is the escape key, any other beginning is dropped. */
  flush(): Piece[] {
    if (!this.isWaiting) return [];
    const { rest } = this;
    this.rest = '';
    return rest === ESC ? [{ kind: 'sequence', text: ESC }] : [];
  }

  /** The first piece of `rest`; undefined when it is incomplete. */
  private step(): Step | undefined {
    const { rest } = this;
    if (rest === '') return undefined;
    const text = TEXT.exec(rest)?.[0];
    if (text !== undefined) return characters(text);
    if (!rest.startsWith(ESC)) return sequence(rest.charAt(0));
    if (rest.startsWith(PASTE_BEGIN)) {
      this.isPasting = true;
      return nothing(PASTE_BEGIN.length);
    }
    const answer = ANSWER.exec(rest)?.[0];
    if (answer !== undefined) return nothing(answer.length);
    if (UNFINISHED.test(rest)) return rest.length < MAX_SEQUENCE ? undefined : nothing(rest.length);
    const whole = CONTROL_SEQUENCE.exec(rest)?.[0] ?? SHORT_SEQUENCE.exec(rest)?.[0];
    if (whole !== undefined) return sequence(whole);
    // Two escapes, or an incomplete sequence: the character after it is handled by itself.
    return rest.startsWith(ESC + ESC) ? sequence(ESC) : nothing(2);
  }

  private paste(): Step | undefined {
    const end = this.rest.indexOf(PASTE_END);
    if (end < 0 && this.rest.length < MAX_PASTE) return undefined;
    // The last characters may be the beginning of the end mark.
    const length = end < 0 ? this.rest.length - PASTE_END.length : end;
    if (end >= 0) this.isPasting = false;
    const text = this.rest.slice(0, length).replaceAll(/\r\n?/g, '\n');
    return { pieces: text === '' ? [] : [{ kind: 'paste', text }], length: end < 0 ? length : end + PASTE_END.length };
  }
}

const characters = (text: string): Step => ({
  pieces: Array.from(graphemes(text), ({ segment }) => ({ kind: 'character', text: segment })),
  length: text.length,
});
