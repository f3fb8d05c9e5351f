#!/usr/bin/env node
// The entry point. What takes no more than Node itself is answered before the program is loaded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pkg from '../package.json' with { type: 'json' };
import { EVERYDAY_WORDS } from './cli/everyday-words.js';
import { isPrinted, textAtOnce } from './cli/at-once.js';
import { runScript } from './cli/compiled-code.js';

/** Returns the help page beside the bundled program (scripts/build.mjs); undefined where there is none: then the tree makes it. */
function helpPage(): string | undefined {
  try {
    return readFileSync(join(__dirname, 'help.txt'), 'utf8');
  } catch {
    return undefined;
  }
}

const argv = process.argv.slice(2);
const text = textAtOnce(argv, process.env, { version: pkg.version, helpPage });
if (text === undefined || !isPrinted(text)) {
  const [word = ''] = argv;
  const use = EVERYDAY_WORDS.includes(word) ? word : 'others';
  runScript('main.js', { env: process.env, folder: __dirname, build: BUILD_DIGEST, use });
}
