/** A word as a shell takes it, quoted only where it has to be, in the way of Python's `shlex.quote`, as DVC does it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
