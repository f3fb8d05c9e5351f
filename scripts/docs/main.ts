// Entry of `npm run docs`: writes docs/commands.md, the table of docs/providers.md and man/ in the current folder.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import pkg from '../../package.json' with { type: 'json' };
import { program } from '../../src/commands/index.js';
import { commandsDocument } from './commands-document.js';
import { manPages, releaseOf } from './man.js';
import { withProvidersTable } from './providers-table.js';

await writeFile('docs/commands.md', commandsDocument(program()));
await writeFile('docs/providers.md', withProvidersTable(await readFile('docs/providers.md', 'utf8')));
await rm('man', { recursive: true, force: true });
await mkdir('man');
const release = releaseOf(pkg.version, await readFile('CHANGELOG.md', 'utf8'));
for (const [name, text] of manPages(program(), release)) await writeFile(`man/${name}`, text);
