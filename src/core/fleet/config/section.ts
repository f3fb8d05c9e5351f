// Reads one map of a config key by key. A missing key is undefined; a key with an invalid value is reported and also undefined.
import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { parseDuration } from '../../platform/text/parse-duration.js';
import { suggest } from '../../platform/text/suggest.js';
import { isSecretName } from '../../platform/failures/hide-secrets.js';
import { quoted, type Place, type Problems } from './problems.js';

/** Keys that are known but have no effect, with what happens instead. */
export type OtherKeys = Readonly<Record<string, string>>;

export interface KeyTable {
  readonly known: readonly string[];
  /** Keys that are refused, because their effect would be missed. */
  readonly refused?: OtherKeys;
  /** Keys that cause only a warning, because they merely tune. */
  readonly ignored?: OtherKeys;
}

/** A text and its position. */
export interface PlacedText {
  readonly text: string;
  readonly place: Place;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

export class Section {
  private readonly pairs = new Map<string, Pair<Node, Node | null>>();
  private readonly place: Place;
  private readonly name: string;
  private readonly problems: Problems;

  /** `name` is the path as in `s3_config` or `watch_paths[0]`, empty for the whole config. */
  constructor(map: YAMLMap, { name, problems }: { readonly name: string; readonly problems: Problems }) {
    this.place = map;
    this.name = name;
    this.problems = problems;
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const key = scalarText(pair.key);
      if (key === undefined) problems.error(pair.key, 'a key must be a text');
      else if (this.pairs.has(key)) problems.error(pair.key, `${this.nameOf(key)} stands there twice: keep one`);
      else this.pairs.set(key, pair);
    }
  }

  nameOf(key: string): string {
    return this.name === '' ? key : `${this.name}.${key}`;
  }

  has(key: string): boolean {
    return this.pairs.has(key);
  }

  /** Reports every unknown key. */
  checkKeys({ known, refused = {}, ignored = {} }: KeyTable): void {
    for (const [key, { key: place }] of this.pairs) {
      if (this.problems.isFull) return;
      const name = this.nameOf(key);
      if (known.includes(key)) continue;
      if (Object.hasOwn(ignored, key)) this.problems.warn(place, `${name} is ignored: ${ignored[key]}`);
      else if (Object.hasOwn(refused, key)) this.problems.error(place, `${name} is refused: ${refused[key]}`);
      else if (isSecretName(key))
        this.problems.error(place, `${name} is a secret, which has no place in a config: agents use the AWS chain`);
      else {
        const near = suggest(key, known);
        const hint = near === undefined ? '' : `; did you mean ${near}?`;
        this.problems.error(place, `${quoted(name)} is no key of a config${hint}`);
      }
    }
  }

  /** Reports an error; `message` follows the name of the key. */
  error(key: string, message: string): undefined {
    this.problems.error(this.placeOf(key), `${this.nameOf(key)} ${message}`);
  }

  warn(key: string, message: string): void {
    this.problems.warn(this.placeOf(key), `${this.nameOf(key)} ${message}`);
  }

  private placeOf(key: string): Place {
    const pair = this.pairs.get(key);
    return pair?.value ?? pair?.key ?? this.place;
  }

  private value(key: string): Node | undefined {
    const pair = this.pairs.get(key);
    if (pair === undefined) return undefined;
    if (pair.value !== null && !(isScalar(pair.value) && pair.value.value === null)) return pair.value;
    this.error(key, 'has no value');
    return undefined;
  }

  private read<T>(key: string, wants: string, parse: (node: Node) => T | undefined): T | undefined {
    const node = this.value(key);
    if (node === undefined) return undefined;
    const parsed = parse(node);
    if (parsed === undefined) this.error(key, `wants ${wants}`);
    return parsed;
  }

  /** Returns the text as written in the file: `0123` and `1.10` keep their digits. */
  text(key: string): string | undefined {
    const text = this.read(key, 'a text', scalarText);
    if (text?.trim() !== '') return text;
    this.error(key, 'is empty');
    return undefined;
  }

  flag(key: string): boolean | undefined {
    return this.read(key, 'true or false', (node) =>
      isScalar(node) && typeof node.value === 'boolean' ? node.value : undefined,
    );
  }

  /** Returns a whole number from 1, written in digits. */
  count(key: string): number | undefined {
    return this.read(key, 'a whole number, 1 or more', (node) => {
      if (!isScalar(node) || typeof node.value !== 'number' || !/^[1-9]\d*$/.test(node.source ?? '')) return undefined;
      return Number.isSafeInteger(node.value) ? node.value : undefined;
    });
  }

  /** Returns a duration in milliseconds. */
  duration(key: string): number | undefined {
    return this.read(key, 'a duration such as 90s, 15m, 24h or 7d', (node) => parseDuration(scalarText(node) ?? ''));
  }

  /** Returns a time in ms since 1970; it must say its zone. */
  time(key: string): number | undefined {
    return this.read(key, 'a time such as 2026-05-01T14:30:00Z', (node) => {
      const text = scalarText(node) ?? '';
      return TIME.test(text) ? Date.parse(text) || undefined : undefined;
    });
  }

  texts(key: string): readonly PlacedText[] {
    const node = this.value(key);
    if (node === undefined) return [];
    if (!isSeq<Node>(node)) {
      this.error(key, 'wants a list of texts');
      return [];
    }
    return node.items.flatMap((place) => {
      const text = scalarText(place);
      if (text !== undefined) return [{ text, place }];
      this.problems.error(
        place,
        `${this.nameOf(key)} wants a list of texts: quote those that are read as something else`,
      );
      return [];
    });
  }

  section(key: string): Section | undefined {
    const map = this.read(key, 'keys below it', (node) => (isMap(node) ? node : undefined));
    return map === undefined ? undefined : new Section(map, { name: this.nameOf(key), problems: this.problems });
  }

  /** Returns the maps of a list. */
  sections(key: string): readonly Section[] {
    const list = this.read(key, 'a list', (node) => (isSeq<Node>(node) ? node : undefined));
    return (list?.items ?? []).flatMap((node, index) => {
      const name = `${this.nameOf(key)}[${index}]`;
      if (isMap(node)) return [new Section(node, { name, problems: this.problems })];
      this.problems.error(node, `${name} wants keys, such as path: /data`);
      return [];
    });
  }
}

function scalarText(node: Node | null): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}
