/** Returns a word for a shell, quoted only if necessary, like Python's `shlex.quote`, which DVC uses. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
