// Finds problems of a config file beyond its shape: values that no flag would take, and flags that are set twice.
import { keyAt } from '../core/config/config-schema.js';
import type { ConfigProblem, ConfigSetting, ParsedConfig } from '../core/config/parse-config.js';
import type { TreeKey, TreeSchema } from './config-tree.js';
import { parseGiven, type Flag } from './flag.js';
import { STORES, storesIn } from './named-stores.js';
import { gotTexts } from './redact.js';
import { STORE_KEY, storeSetting } from './store-setting.js';
import { suggest } from '../core/platform/text/suggest.js';

/** The JSON of a problem. */
export const problemDocument = ({ key: setting, ...problem }: ConfigProblem) => ({ setting, ...problem });

function badValue(flag: Flag, { key, texts, line }: ConfigSetting, note: string): ConfigProblem | undefined {
  const parsed = parseGiven(flag, texts);
  if (parsed.ok) return undefined;
  const near = flag.type.choices && suggest(texts.at(-1) ?? '', flag.type.choices);
  const hint = near === undefined ? {} : { hint: `did you mean ${near}?` };
  return { line, key, message: `${parsed.reason}${gotTexts(key, flag, texts)}${note}`, ...hint };
}

/** Checks the value of a key. A shared key must suit every command that has the flag: it would stop the others. */
function valueProblem(schema: TreeSchema, setting: ConfigSetting, key: TreeKey): ConfigProblem | undefined {
  if (key.command !== undefined || key.isOfStore === true) return badValue(key.flag, setting, '');
  const users = [...schema.keys.values()].filter(({ flagKey, command }) => flagKey === key.flagKey && command);
  for (const { flag, command } of users) {
    const problem = badValue(flag, setting, ` (for archiver ${command?.path ?? ''})`);
    if (problem !== undefined) return problem;
  }
  return users.length === 0 ? badValue(key.flag, setting, '') : undefined;
}

/** Finds flags that are set both in their own section and in `defaults`. */
export function doubleSettings(
  { shared: sections }: Pick<TreeSchema, 'shared'>,
  settings: readonly ConfigSetting[],
): readonly ConfigProblem[] {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  return Object.entries(sections).flatMap(([section, names]) =>
    names.flatMap((name) => {
      const [shared, general] = [byKey.get(`${section}.${name}`), byKey.get(`defaults.${name}`)];
      if (shared === undefined || general === undefined) return [];
      const message = `means the same as ${shared.key} in line ${shared.line}: keep one`;
      return [{ line: general.line, key: general.key, message }];
    }),
  );
}

/** Finds named stores without a URL. */
export function storeProblems(settings: readonly ConfigSetting[]): readonly ConfigProblem[] {
  const own = settings.filter(({ key }) => key.startsWith(`${STORES}.`));
  const there = new Set(own.map(({ key }) => key));
  const sections = new Map(
    own.map(({ key, line }) => [key.slice(0, key.lastIndexOf('.')), line] as const).toReversed(),
  );
  return [...sections].flatMap(([key, line]) =>
    there.has(`${key}.url`) ? [] : [{ line, key, message: 'has no url, which says where the store is' }],
  );
}

/** Returns all problems of a parsed file, in the order of its lines. */
export function allProblems(schema: TreeSchema, { settings, problems }: ParsedConfig): readonly ConfigProblem[] {
  const stores = storesIn({ path: '', settings });
  const url = storeSetting({ stores, cwd: '/' });
  const ofValues = settings.flatMap((setting) => {
    const key = keyAt(schema, setting.key);
    const isUrl = key?.flagKey === STORE_KEY && key.isOfStore !== true;
    const problem = isUrl ? badValue(url, setting, '') : key && valueProblem(schema, setting, key);
    return problem === undefined ? [] : [problem];
  });
  return [...problems, ...doubleSettings(schema, settings), ...storeProblems(settings), ...ofValues].sort(
    (a, b) => a.line - b.line,
  );
}
