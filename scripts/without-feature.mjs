// node scripts/without-feature.mjs NAME…: tests of the engine's commands, with these features left out of the lists in src/; `all`: with no
// feature. test/scripts/without-feature.test.ts does it with each in turn, for what a person would try first.
import { existsSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What names the features, and their commands. */
export const LISTS = ['src/features.ts', 'src/feature-commands.ts'];

const textOf = (list) => readFileSync(new URL(`../${list}`, import.meta.url), 'utf8');

/** Names of all features. */
export const featureNames = () =>
  Array.from(textOf(LISTS[0]).matchAll(/^import .*commands\/(\w+)\/feature\.js';$/gm), ([, name]) => name);

/** The text of one of these lists without these features. @throws where it does not name one */
export function listWithout(names, list) {
  let text = textOf(list);
  for (const name of names)
    for (const part of [
      new RegExp(`^import .*/${name}/(?:feature|commands)\\.js';\n`, 'm'),
      new RegExp(`(?<=[[ ])${name}(?:, |,?(?=[\\]\n]))`),
    ]) {
      if (!part.test(text)) throw new Error(`${list} does not name ${name}`);
      text = text.replace(part, '');
    }
  return text;
}

/** The variable that names what vitest.config.ts leaves out, with a space between. */
export const LEFT_OUT = 'ARCHIVER_TEST_WITHOUT';

/** Tests of commands of the engine that run nothing of a feature. */
const ENGINE_TESTS = `
  balance chain counts dataset dataset-tag dry-run encryption find migrate names repair restore resume scuttle shell upload
  verify-store versions create/create-upload create/keys upload/misnamed-keys upload/namesake
  upload/previous-manifest upload/saved-command upload/unwritable-home
`
  .trim()
  .split(/\s+/)
  .map((name) => `test/commands/${name}.test.ts`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2);
  const names = given[0] === 'all' ? featureNames() : given;
  if (names.length === 0) throw new Error('name a feature, or all');
  for (const list of LISTS) listWithout(names, list);
  // vitest passes over a file that is not there.
  const missing = ENGINE_TESTS.filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`no such test: ${missing.join(', ')}`);
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...ENGINE_TESTS], {
    stdio: 'inherit',
    env: { ...process.env, [LEFT_OUT]: names.join(' ') },
  });
  process.exitCode = status ?? 1;
}
