// The ports of the wizard: checks of a store, keys for the AWS files, and the config file.
import { join } from 'node:path';
import { composeConfig, type OpenConfig, writeConfig } from '../../cli/config-change.js';
import type { Context } from '../../cli/context.js';
import { configPlaces } from '../../core/config/config-places.js';
import { copyAnswerToStore } from '../../core/store/create-once/create-once.js';
import { errorText } from '../../core/platform/failures/errors.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { joinStoreUrl, parseStoreUrl } from '../../core/store/store-url.js';
import { throwIfCancelled } from '../../core/store/store-error.js';
import { type CheckOptions, probeStore, roundTrip } from '../../core/setup/check-store.js';
import { KeysFile, keysFile } from '../../core/setup/keys-file.js';
import { lineDiff } from '../../core/platform/text/line-diff.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import type { SetupAnswers } from '../../stores/setup/setup-state.js';
import type { SetupPorts } from '../../stores/setup/setup-store.js';
import { reportAccess } from '../access/report-access.js';
import { DEFAULT_REGION } from '../kit/flags.js';
import { openForReading, type StoreValues } from '../kit/store.js';
import { type AskedStore, askStore } from './ask-store.js';

export interface PortOptions {
  readonly config: OpenConfig;
  readonly caBundle: string | undefined;
  readonly context: Context;
}

/** Returns the ports of one run. */
export function setupPorts({ config, caBundle, context }: PortOptions): SetupPorts {
  const keys = new KeysFile(keysFile(context.env, context.userHome), context.env);
  const valuesOf = ({ region = DEFAULT_REGION, profile, endpointUrl }: SetupAnswers): StoreValues => {
    return { region, profile, endpointUrl, caBundle };
  };
  const contextOf = ({ region }: SetupAnswers, signal: AbortSignal): Context => ({
    ...context,
    signal,
    origins: { region: region === undefined ? 'default' : 'flag' },
  });
  const openBelow =
    (answers: SetupAnswers, signal: AbortSignal) =>
    (below = ''): Promise<OpenedStore> =>
      openForReading(joinStoreUrl(answers.url, below), valuesOf(answers), contextOf(answers, signal));
  const compose = (answers: SetupAnswers): Promise<string> => composeConfig(config, answers.values, context);
  let isPlain = false;
  return {
    saveKeys: (typed) => keys.save(typed),
    async check(answers, tell, signal) {
      let seen: Pick<OpenedStore, 'region' | 'isAws' | 'servers'> | undefined;
      const open: CheckOptions['open'] = async (below) => {
        const opened = await openBelow(answers, signal)(below);
        seen = opened;
        return opened;
      };
      const probed = await probeStore({ open, tell, signal });
      if (answers.kind === 'aws') warnOfEndpoint(seen?.servers?.store, context.env, tell);
      const asked = probed === 'none' ? NOTHING : await askStore(probed, open, tell, contextOf(answers, signal));
      const { usability, capabilities } = asked;
      isPlain = asked.isPlain;
      if (seen?.isAws === true && usability !== 'none')
        await showFindings(answers, { ...valuesOf(answers), kmsKeyId: undefined }, tell, contextOf(answers, signal));
      return { usability, capabilities, region: seen?.region };
    },
    test: (answers, tell, signal) =>
      roundTrip({
        open: async (below) => ({ ...(await openBelow(answers, signal)(below)), createOnce: isPlain ? 'no' : 'yes' }),
        tell,
        signal,
      }),
    async review(answers) {
      const after = await compose(answers);
      return { path: config.path, isNew: config.bytes === undefined, lines: lineDiff(config.text, after) };
    },
    async write(answers) {
      const after = await compose(answers);
      if (after !== config.text) await writeConfig(config, after);
      await storeCreateOnce(openBelow(answers, context.signal), contextOf(answers, context.signal));
      return nextCommands(config.path, context);
    },
  };
}

const NOTHING: AskedStore = { usability: 'none', capabilities: [], isPlain: false };

/** Warns when a variable of this shell leads away from AWS: the checks then ask another server than the file will name. */
function warnOfEndpoint(server: string | null | undefined, env: Context['env'], tell: CheckOptions['tell']): void {
  const variable = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((name) => env[name]);
  if (typeof server !== 'string' || variable === undefined) return;
  const text = `${variable} of this shell leads to ${server}, and the file says AWS: without it all of this would be asked there`;
  tell({ tone: 'warn', text, hint: `choose that server instead (--endpoint-url), or unset ${variable}` });
}

type Access = Parameters<typeof reportAccess>[1];

/** Stores the answer in the chosen store, so that other computers need not ask it. Those that find no answer there ask by themselves. */
async function storeCreateOnce(open: CheckOptions['open'], context: Context): Promise<void> {
  try {
    const opened = await open();
    try {
      if (parseStoreUrl(opened.store.url).kind === 's3')
        await copyAnswerToStore(opened, { ...context, now: context.now() });
    } finally {
      opened.close();
    }
  } catch (error) {
    // The config file, which was asked for, is written; other computers ask the store by themselves.
    context.debug(`what this store keeps could not be written there: ${errorText(error)}`);
  }
}

/** Shows problems of the bucket other than permissions, as `access-check` reports them. */
async function showFindings(
  { url }: SetupAnswers,
  values: Access,
  tell: CheckOptions['tell'],
  context: Context,
): Promise<void> {
  try {
    const { findings } = await reportAccess(url, values, context);
    for (const { check, severity, summary, remediation } of findings)
      if (severity === 'warn' || severity === 'critical' || severity === 'unknown')
        tell({ tone: 'warn', text: `${check}: ${summary}`, ...(remediation === null ? {} : { hint: remediation }) });
  } catch (error) {
    throwIfCancelled(context.signal);
    tell({ tone: 'warn', text: `the bucket could not be looked at: ${errorText(error)}` });
  }
}

/** Three commands to type next; they name the config file unless it is found by itself. */
function nextCommands(path: string, context: Pick<Context, 'env' | 'userHome' | 'cwd'>): readonly string[] {
  const isFound = configPlaces(context).paths.includes(path);
  const named = isFound ? '' : `ARCHIVER_CONFIG=${shellWord(path)} `;
  return ['archiver upload ./FOLDER --dry-run', 'archiver upload ./FOLDER', 'archiver dashboard'].map(
    (command) => named + command,
  );
}

/** The default place for archives. */
export const defaultFolder = (userHome: string): string => join(userHome, 'archiver-store');
