/** Ordinals as people write them: `3, 5-9`. */
export function ordinalsText(listed: readonly { readonly version: number }[]): string {
  const runs: [first: number, last: number][] = [];
  for (const { version } of listed) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === version - 1) run[1] = version;
    else runs.push([version, version]);
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}
