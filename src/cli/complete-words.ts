// Words as bash hands them over: with their quotes, and completed from the last character on at which bash breaks words. Other shells take
// quotes off themselves.

export interface BashWord {
  /** What the word means. */
  readonly text: string;
  /** The quote that is open at its end. */
  readonly quote: '"' | "'" | undefined;
}

/** Reads a word with its quotes, as far as it is typed. Nothing is expanded: `$HOME` stays as it is. */
export function unquoted(word: string): BashWord {
  let text = '';
  let quote: BashWord['quote'];
  for (let at = 0; at < word.length; at++) {
    const one = word.charAt(at);
    const next = word.charAt(at + 1);
    if (one === quote) quote = undefined;
    else if (quote === undefined && (one === '"' || one === "'")) quote = one;
    else if (one === '\\' && quote !== "'" && (quote === undefined || '"\\$`'.includes(next))) {
      text += next;
      at++;
    } else text += one;
  }
  return { text, quote };
}

/** Writes text so that bash takes it as it is, within an open quote if there is one; undefined where that cannot be. */
export function quoted(text: string, quote: BashWord['quote']): string | undefined {
  if (quote === "'") return text.includes("'") ? undefined : text;
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/["\\$`]/g, '\\$&');
  return text.replace(/[^\w./,:=@%+\-\u0080-\u{10ffff}]/gu, '\\$&');
}

/**
 * Returns what bash is to put in the place of the last part of a word, of which `before` is in front of that part; undefined for a text
 * that does not go on from there.
 */
export function bashCandidate(text: string, before: string, part: string): string | undefined {
  const start = unquoted(before).text;
  return text.startsWith(start) ? quoted(text.slice(start.length), unquoted(part).quote) : undefined;
}
