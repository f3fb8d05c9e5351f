// Tests whether a regular expression of JavaScript (flag u) matches anywhere in a text, in time that grows with the length of the text
// and of the expression, and no faster: all ways to match are followed at once (Thompson 1968), and steps that were taken are remembered.
// The engine of JavaScript tries them one by one and may take years over a path of 40 characters.
import { usageError } from '../failures/errors.js';
import { parseRegex, type RegexNode } from './regex-parse.js';

type Step =
  | Extract<RegexNode, { kind: 'one' | 'assert' }>
  | { readonly kind: 'split'; readonly other: number }
  | { readonly kind: 'match' };
type Place = Step & { readonly next: number };

/** What stands before a place in the text. */
type Before = 'start' | 'word' | 'other';

/** All places of the expression that the text so far may lead to, and where each character leads from there. */
interface State {
  readonly places: readonly number[];
  readonly before: Before;
  /** By the character that follows, empty at the end of the text; true for a match. */
  readonly next: Map<string, State | boolean>;
}

/** Repetitions are written out. */
const MOST_PLACES = 2000;
/** States that are remembered, and characters of each; all are forgotten when there are more. */
const MOST_REMEMBERED = 20_000;

/** Compiles an expression; `name` says in messages where it is from. @throws usage for one that cannot be used */
export function linearRegex(source: string, name: string): (text: string) => boolean {
  const program = new Program(name);
  const walker = new Walker(program.places, program.add(parseRegex(source, name), 0));
  return (text) => walker.matches(text);
}

/** The places of an expression; the first is where it has matched. */
class Program {
  readonly places: Place[] = [{ kind: 'match', next: 0 }];

  constructor(private readonly name: string) {}

  /** Adds the places of a node that lead to `next`; returns where it begins. */
  add(node: RegexNode, next: number): number {
    if (node.kind === 'one' || node.kind === 'assert') return this.place({ ...node, next });
    if (node.kind === 'repeat') return this.repeat(node, next);
    if (node.kind === 'all') return node.parts.reduceRight((after, part) => this.add(part, after), next);
    return node.parts
      .map((part) => this.add(part, next))
      .reduceRight((other, one) => this.place({ kind: 'split', next: one, other }));
  }

  private repeat({ part, least, most }: Extract<RegexNode, { kind: 'repeat' }>, next: number): number {
    let first = next;
    if (most === Infinity) {
      const loop = { kind: 'split', next, other: next } as const;
      first = this.place(loop);
      this.places[first] = { ...loop, other: this.add(part, first) };
    } else {
      for (let more = least; more < most; more++)
        first = this.place({ kind: 'split', next, other: this.add(part, first) });
    }
    for (let count = 0, before = -1; count < least && before !== first; count++) {
      before = first;
      first = this.add(part, first);
    }
    return first;
  }

  private place(place: Place): number {
    if (this.places.length === MOST_PLACES)
      throw usageError(`${this.name} is too long, with its repetitions written out`);
    return this.places.push(place) - 1;
  }
}

class Walker {
  private states = new Map<string, State>();
  private remembered = 0;

  constructor(
    private readonly places: readonly Place[],
    private readonly first: number,
  ) {}

  matches(text: string): boolean {
    if (this.remembered > MOST_REMEMBERED) [this.states, this.remembered] = [new Map(), 0];
    let state = this.state([], 'start');
    for (const character of text) {
      const next = this.after(state, character);
      if (typeof next === 'boolean') return next;
      state = next;
    }
    return this.after(state, '') === true;
  }

  private after(state: State, character: string): State | boolean {
    const known = state.next.get(character);
    if (known !== undefined) return known;
    const next = this.step(state, character);
    state.next.set(character, next);
    this.remembered++;
    return next;
  }

  private step({ places, before }: State, character: string): State | boolean {
    const reached = new Set<number>();
    const isEdge = (before === 'word') !== isWord(character);
    const holds = { start: before === 'start', end: character === '', edge: isEdge, noEdge: !isEdge };
    // A match may begin at every character.
    const open = [...places, this.first];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const place = this.places[at];
      if (place === undefined || reached.has(at)) continue;
      reached.add(at);
      if (place.kind === 'match') return true;
      if (place.kind === 'split') open.push(place.next, place.other);
      else if (place.kind === 'assert' && holds[place.what]) open.push(place.next);
    }
    if (character === '') return false;
    const next = new Set<number>();
    for (const at of reached) {
      const place = this.places[at];
      if (place?.kind === 'one' && place.test(character)) next.add(place.next);
    }
    return this.state(
      [...next].sort((a, b) => a - b),
      isWord(character) ? 'word' : 'other',
    );
  }

  private state(places: readonly number[], before: Before): State {
    const name = `${before} ${places.join(' ')}`;
    const state = this.states.get(name) ?? { places, before, next: new Map() };
    this.states.set(name, state);
    return state;
  }
}

const isWord = (character: string): boolean => /^\w$/.test(character);
