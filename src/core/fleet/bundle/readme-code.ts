/** Formats commands as a Markdown code block. */
export const code = (...lines: readonly string[]): string => ['```sh', ...lines, '```'].join('\n');
