// Entry of `npm run docs`: writes docs/commands.md and man/ in the current folder.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import pkg from '../../package.json' with { type: 'json' };
import { program } from '../../src/commands/index.js';
import { commandsDocument } from './commands-document.js';
import { manPages } from './man.js';

await writeFile('docs/commands.md', commandsDocument(program()));
await rm('man', { recursive: true, force: true });
await mkdir('man');
for (const [name, text] of manPages(program(), pkg.version)) await writeFile(`man/${name}`, text);
