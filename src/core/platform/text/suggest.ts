// "Did you mean": finds the nearest known word, if one is near enough to be a typing error.

/** Returns the edit distance that counts a swap of neighbours as one (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** Returns the known word nearest to the typed one; a word that starts with it counts as near. */
export function suggest(typed: string, known: Iterable<string>): string | undefined {
  if (typed.length > 64) return undefined;
  const allowed = Math.max(1, Math.floor(typed.length / 3));
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of known) {
    const isStart = typed.length >= 3 && word.startsWith(typed);
    const distance = isStart ? 0.5 : editDistance(typed, word);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { word, distance };
  }
  return best?.word;
}
