// Entry of `npm run docs`: writes docs/commands.md in the current folder.
import { writeFile } from 'node:fs/promises';
import { program } from '../commands/index.js';
import { commandsDocument } from './docs.js';

await writeFile('docs/commands.md', commandsDocument(program()));
