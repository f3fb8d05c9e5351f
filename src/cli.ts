#!/usr/bin/env node
// The entry point. What takes no more than Node itself is answered before the program is loaded.
import { readFileSync } from 'node:fs';
import pkg from '../package.json' with { type: 'json' };
import { isPrinted, textAtOnce } from './cli/at-once.js';
import { keepCompiledCode } from './cli/compiled-code.js';

/** Returns the help page beside the bundled program (scripts/build.mjs); undefined where there is none: then the tree makes it. */
function helpPage(): string | undefined {
  try {
    return readFileSync(new URL('help.txt', import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}

const text = textAtOnce(process.argv.slice(2), process.env, { version: pkg.version, helpPage });
if (text === undefined || !isPrinted(text)) {
  keepCompiledCode(process.env);
  await import('./main.js');
}
