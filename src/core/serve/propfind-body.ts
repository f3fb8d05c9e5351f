// The body of a PROPFIND (RFC 4918, section 14.20): which properties are asked for. A few elements of XML are enough for it, and nothing
// that XML can refer to (entities, document types) is read.

export interface PropertyName {
  readonly space: string;
  readonly name: string;
}

/** What is asked for; `named` properties are answered one by one, those that are not there too. */
export type Wanted =
  | { readonly kind: 'all' }
  | { readonly kind: 'names' }
  | { readonly kind: 'named'; readonly names: readonly PropertyName[] };

export const DAV = 'DAV:';
const TOKEN =
  /<\?[^>]*\?>|<!--(?:(?!-->)[^])*-->|<(\/?)([^\s<>/"'=]+)((?:\s+[^\s<>/"'=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y;
const ATTRIBUTE = /([^\s"'=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const NAME = /^[\p{L}_][\p{L}\p{N}._-]*$/u;
const MOST_DEPTH = 8;

interface Element extends PropertyName {
  readonly depth: number;
}

/** Reads a body; undefined for one that is no PROPFIND. Without a body everything is asked for. */
export function wantedProperties(body: string): Wanted | undefined {
  if (body.trim() === '') return { kind: 'all' };
  const elements = elementsOf(body);
  const [root, ...below] = elements ?? [];
  if (root?.space !== DAV || root.name !== 'propfind') return undefined;
  const isDav = (element: Element, name: string): boolean =>
    element.depth === 1 && element.space === DAV && element.name === name;
  if (below.some((element) => isDav(element, 'allprop'))) return { kind: 'all' };
  if (below.some((element) => isDav(element, 'propname'))) return { kind: 'names' };
  if (!below.some((element) => isDav(element, 'prop'))) return undefined;
  const named = below.filter(({ depth }) => depth === 2);
  return { kind: 'named', names: named.map(({ space, name }) => ({ space, name })) };
}

/** The elements in their order, with the names of their spaces; undefined for what is not well-formed. */
function elementsOf(body: string): readonly Element[] | undefined {
  const found: Element[] = [];
  const open: Open[] = [];
  for (let at = body.startsWith('\ufeff') ? 1 : 0; at < body.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(body);
    if (token === null || !take(token, open, found)) return undefined;
  }
  return open.length === 0 ? found : undefined;
}

interface Open {
  readonly tag: string;
  readonly spaces: ReadonlyMap<string, string>;
}

/** Takes the next token; false where it cannot stand there. */
function take([text, slash, tag, attributes = '', isEmpty]: RegExpExecArray, open: Open[], found: Element[]): boolean {
  if (tag === undefined) return open.length > 0 || text.startsWith('<') || text.trim() === '';
  if (slash === '/') return open.pop()?.tag === tag;
  const spaces = new Map([...(open.at(-1)?.spaces ?? []), ...declared(attributes)]);
  const element = elementOf(tag, spaces, open.length);
  if (element === undefined || open.length >= MOST_DEPTH) return false;
  found.push(element);
  if (isEmpty !== '/') open.push({ tag, spaces });
  return true;
}

function declared(attributes: string): (readonly [prefix: string, space: string])[] {
  return Array.from(
    attributes.matchAll(ATTRIBUTE),
    ([, name = '', double, single = '']) => [name, double ?? single] as const,
  )
    .filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'))
    .map(([name, space]) => [name === 'xmlns' ? '' : name.slice('xmlns:'.length), space] as const);
}

function elementOf(tag: string, spaces: ReadonlyMap<string, string>, depth: number): Element | undefined {
  const [name, prefix = ''] = tag.split(':').toReversed();
  const space = spaces.get(prefix) ?? (prefix === '' ? '' : undefined);
  // An ampersand would be a reference, which is not resolved here.
  if (name === undefined || !NAME.test(name) || space === undefined || /[&<]/.test(space)) return undefined;
  return { space, name, depth };
}
