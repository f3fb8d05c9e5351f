/** Commands as a block of Markdown. */
export const code = (...lines: readonly string[]): string => ['```sh', ...lines, '```'].join('\n');
