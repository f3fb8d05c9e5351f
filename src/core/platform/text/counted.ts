/** Formats a count with its noun: `1 chunk`, `3 chunks`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
