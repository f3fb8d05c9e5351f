import { arg } from '../cli/arg.js';
import type { Results } from '../cli/context.js';
import { defineCommand } from '../cli/command.js';
import { usageError } from '../core/platform/failures/errors.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { suggest } from '../core/platform/text/suggest.js';
import { didYouMean } from './kit/lines.js';

export const command = defineCommand({
  path: 'json-schema',
  summary: 'print the JSON Schema of what a command answers with --json',
  description:
    'Prints a JSON Schema (draft 2020-12) of what COMMAND prints with --json, when it works and when it fails. Without COMMAND it lists ' +
    'what there are schemas of: the commands, and error (a failure), help (--help --json), version (--version --json) and progress ' +
    '(a line of --progress-format json). A schema allows the keys of this version alone: later ones may add some (docs/json.md).',
  args: [
    arg.text('COMMAND', {
      describe: 'the words of a command, or another name that is listed',
      optional: true,
      many: true,
    }),
  ],
  flags: {},
  examples: [
    'archiver json-schema',
    'archiver json-schema upload > upload.schema.json',
    'archiver json-schema dataset list',
  ],
  exits: { 0: 'schema printed' },
  ignoresConfigFile: true,
  async run(_values, [words], context: Results<'json-schema'>) {
    const { jsonSchema, schemaTitles } = await import('../json/json-schema.js');
    if (words.length === 0) {
      const jsonSchemas = schemaTitles().map(([name, summary]) => ({ name, summary }));
      context.result({ jsonSchemas }, () => jsonSchemas.map(({ name }) => `${name}\n`).join(''));
      return;
    }
    const name = words.join(' ');
    const schema = jsonSchema(name);
    if (schema === undefined) {
      const near = suggest(
        name,
        schemaTitles().map(([known]) => known),
      );
      throw usageError(
        `there is no JSON Schema of ${printable(name)}${didYouMean(near)}`,
        'archiver json-schema lists them',
      );
    }
    context.result({ jsonSchema: schema }, () => `${JSON.stringify(schema, undefined, 2)}\n`);
  },
});
