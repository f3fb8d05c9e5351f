// `archiver config --validate` and `--validate-detailed`.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { withoutSecrets } from '../core/platform/failures/hide-secrets.js';
import { ArchiverError, errorText, isArchiverError } from '../core/platform/failures/errors.js';
import { bucketUrl, joinStoreUrl } from '../core/store/store-url.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { configPlaces } from '../core/config/config-places.js';
import { loadConfig, problemText, type ConfigFile } from '../core/config/load-config.js';
import type { ConfigProblem } from '../core/config/parse-config.js';
import { contradictions } from './config-contradictions.js';
import { allProblems, problemDocument } from './config-problems.js';
import { configSchema, type TreeSchema } from './config-tree.js';
import type { Context } from './context.js';
import { findLayer } from './layers.js';
import { STORE_KEY } from './store-setting.js';

interface Values {
  readonly file: string | undefined;
  readonly validateDetailed: boolean;
}

/** The result of checking the store; `skipped` when no store is named. */
export interface StoreCheck {
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
  readonly hint?: string;
}

async function requireConfig(values: Values, context: Context, schema: TreeSchema): Promise<ConfigFile> {
  const named = values.file === undefined ? undefined : resolve(context.cwd, values.file);
  const file = await loadConfig(context, () => schema, readFile, named);
  if (file !== undefined) return file;
  const places = configPlaces(context).paths.map(printable).join(', ');
  throw new ArchiverError('not-found', `there is no config file; looked for ${places}`, {
    hint: 'archiver config --generate > ~/.archiver.yaml',
  });
}

/** The value of a shared flag, from the environment or the file. */
function sharedText(
  context: Context,
  file: ConfigFile,
  schema: TreeSchema,
  section: string,
  key: string,
): string | undefined {
  const flag = schema.keys.get(`${section}.${key}`)?.flag;
  if (flag === undefined) return undefined;
  const setting = file.settings.find((one) => one.key === `${section}.${key}` || one.key === `defaults.${key}`);
  const config = () => setting && { texts: setting.texts, where: setting.key, line: setting.line };
  return findLayer(key, flag, { path: '', texts: {}, env: context.env, config })?.texts[0];
}

async function probe(
  urlOf: () => string,
  options: Readonly<Record<string, string>>,
  context: Context,
): Promise<StoreCheck> {
  let url = 'the store';
  try {
    url = urlOf();
    const { openStore } = await import('../core/store/open-store.js');
    const opened = await openStore(url, { ...options, env: context.env, signal: context.signal });
    try {
      await opened.store.list({ signal: context.signal })[Symbol.asyncIterator]().next();
    } finally {
      opened.close();
    }
    return { status: 'ok', detail: `${url} answers and can be listed` };
  } catch (error) {
    context.signal.throwIfAborted();
    const hint = isArchiverError(error) ? error.hint : undefined;
    return {
      status: 'failed',
      detail: withoutSecrets(`${url}: ${errorText(error)}`),
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

async function checkStore(context: Context, file: ConfigFile, schema: TreeSchema): Promise<StoreCheck> {
  const text = (section: string, key: string): string | undefined => sharedText(context, file, schema, section, key);
  const named = text('storage', STORE_KEY);
  const place = named ?? text('storage', 'bucket');
  if (place === undefined)
    return { status: 'skipped', detail: 'no store is configured (storage.url or storage.bucket)' };
  const prefix = named === undefined ? (text('storage', 'prefix') ?? '') : '';
  const options = Object.fromEntries(
    ['region', 'profile', 'endpointUrl'].flatMap((key) => {
      const value = text('aws', key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  return probe(() => joinStoreUrl(bucketUrl(place, context.cwd), prefix), options, context);
}

/** All problems of the file; whether its settings fit together is asked once each is sound. */
function problemsOf(schema: TreeSchema, file: ConfigFile, { tree, cwd }: Context): readonly ConfigProblem[] {
  const problems = allProblems(schema, file);
  return problems.length > 0 ? problems : contradictions(tree(), file, cwd);
}

/** Checks the file and, with --validate-detailed, the store that it names. */
export async function validateConfig(values: Values, context: Context<'config'>): Promise<number> {
  const schema = configSchema(context.tree());
  const file = await requireConfig(values, context, schema);
  const problems = problemsOf(schema, file, context);
  const store = values.validateDetailed && problems.length === 0 ? await checkStore(context, file, schema) : undefined;
  const ok = problems.length === 0 && store?.status !== 'failed';
  const document = {
    ok,
    file: file.path,
    settingCount: file.settings.length,
    problems: problems.map(problemDocument),
    ...(store ? { store } : {}),
  };
  context.result(document, () => {
    const lines = problems.flatMap((problem) => [
      `✗ ${problemText(file.path, problem)}`,
      ...(problem.hint === undefined ? [] : [`  fix   ${printable(problem.hint)}`]),
    ]);
    if (problems.length === 0) lines.push(`✓ ${printable(file.path)} is valid: ${file.settings.length} settings`);
    if (store) lines.push(`${{ ok: '✓', failed: '✗', skipped: '-' }[store.status]} ${printable(store.detail)}`);
    if (store?.hint !== undefined) lines.push(`  fix   ${printable(store.hint)}`);
    return `${lines.join('\n')}\n`;
  });
  return ok ? 0 : 1;
}
