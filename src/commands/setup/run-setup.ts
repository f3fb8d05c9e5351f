// `archiver setup`: the wizard on a terminal, or the same steps without questions.
import type { Usability } from '../../core/setup/check-store.js';
import { openConfig, type OpenConfig } from '../../cli/config-change.js';
import type { Context } from '../../cli/context.js';
import { ArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { Capability } from '../../core/access/capabilities/capability.js';
import type { CheckLine } from '../../core/setup/check-store.js';
import { knownAddress } from '../../core/store/providers/address.js';
import { factsOf } from '../../core/store/providers/provider-table.js';
import type { DiffLine } from '../../core/platform/text/line-diff.js';
import { providerSetting } from '../../stores/setup/places.js';
import type { SetupAnswers } from '../../stores/setup/setup-state.js';
import { capabilityLines } from '../access/capabilities.js';
import { fact, textOf } from '../kit/lines.js';
import { requireTerminal } from '../kit/require-terminal.js';
import { initialSetup, type InitialSetup, type SetupValues } from './begin.js';
import { defaultFolder, setupPorts } from './setup-ports.js';

/** Runs the command; returns its exit status. */
export async function runSetup(
  values: SetupValues,
  url: string | undefined,
  context: Context<'setup'>,
): Promise<number> {
  if (!values.nonInteractive) {
    const hint = `archiver setup --non-interactive ${url === undefined ? '[STORE]' : printable(url)}`;
    if (context.json) throw usageError('the questions of setup have no --json', hint);
    requireTerminal('setup', hint, context);
  }
  const config = await openConfig(values.output, context);
  const begin = await initialSetup(values, url, config, context);
  return values.nonInteractive
    ? await withoutQuestions(values, begin, config, context)
    : await runWizard(values, begin, config, context);
}

async function withoutQuestions(
  values: SetupValues,
  begin: InitialSetup,
  config: OpenConfig,
  context: Context<'setup'>,
): Promise<number> {
  const { url } = begin;
  const ports = setupPorts({ config, caBundle: values.caBundle, context });
  const answers = answersFrom(values, begin);
  warnOfClass(values, begin, context);
  const checks: CheckLine[] = [];
  const tell = (line: CheckLine): void => {
    checks.push(line);
    if (line.tone === 'good') context.note(printable(line.text));
    else context.warn(lineText(line));
  };
  const { usability, capabilities } = await ports.check(answers, tell, context.signal);
  if (usability === 'none' || (usability === 'all' && (await ports.test(answers, tell, context.signal)) === false))
    throw new ArchiverError('store', `${printable(url)} cannot be used as it is; nothing was written`, {
      hint: missingOf(checks),
    });
  if (usability === 'writing')
    context.warn('the test of 1 MB is left out: these credentials cannot read, list or delete what they put');
  const { lines, path } = await ports.review(answers);
  const commands = await ports.write(answers);
  showWritten({ path, url, lines, commands, checks, usability, capabilities }, context);
  return 0;
}

/** Returns the answers when no questions are asked: the values that are known. Undefined removes a setting. */
function answersFrom(values: SetupValues, begin: InitialSetup): SetupAnswers {
  const { place, url, profile, endpointUrl, region } = begin;
  if (place === 'folder') return { ...NOTHING_OF_S3, kind: place, url, values: { 'storage.url': url } };
  const given = {
    'aws.profile': profile,
    'aws.endpointUrl': endpointUrl,
    'aws.region': region,
    'storage.storageClass': values.storageClass,
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const typed = values.provider === undefined ? {} : providerSetting(values.provider, endpointUrl);
  const gone = values.provider === 'aws' && endpointUrl === undefined ? { 'aws.endpointUrl': undefined } : {};
  const kind = endpointUrl === undefined ? 'aws' : 'compatible';
  return {
    kind,
    url,
    profile,
    endpointUrl,
    region,
    values: { 'storage.url': url, ...Object.fromEntries(known), ...gone, ...typed },
  };
}

const NOTHING_OF_S3 = { profile: undefined, endpointUrl: undefined, region: undefined };

/** Warns when the provider is not known to have the class; the store itself refuses it only at the first upload. */
function warnOfClass(
  { storageClass }: SetupValues,
  { provider, endpointUrl }: InitialSetup,
  { warn }: Pick<Context, 'warn'>,
): void {
  const runBy = knownAddress(endpointUrl)?.provider ?? provider;
  if (storageClass === undefined || runBy === undefined) return;
  const { name, classes } = factsOf(runBy);
  const names: readonly string[] | null = classes;
  if (names === null || names.includes(storageClass)) return;
  warn(`${name} is not known to have ${storageClass}: its classes are ${names.join(', ')} (docs/providers.md)`);
}

const lineText = ({ text, action, hint }: CheckLine): string =>
  printable(
    [text, ...(action === undefined ? [] : [`missing: ${action}`]), ...(hint === undefined ? [] : [hint])].join('; '),
  );

function missingOf(checks: readonly CheckLine[]): string | undefined {
  const actions = checks.flatMap(({ action }) => action ?? []);
  return actions.length === 0
    ? undefined
    : `allow ${actions.join(', ')}: archiver fleetagent iam-policy prints policies`;
}

interface Written {
  readonly path: string;
  readonly url: string;
  readonly lines: readonly DiffLine[];
  readonly commands: readonly string[];
  readonly checks: readonly CheckLine[];
  readonly usability: Exclude<Usability, 'none'>;
  readonly capabilities: readonly Capability[];
}

function showWritten(written: Written, context: Context<'setup'>): void {
  const { path, url, lines, commands, checks, usability, capabilities } = written;
  const isChanged = lines.length > 0;
  const document = {
    file: path,
    changed: isChanged,
    location: url,
    usability,
    checks: checks.map(({ tone, text, action = null }) => ({ isGood: tone === 'good', message: text, action })),
    capabilities,
    diff: lines.map(({ sign, text }) => `${sign} ${text}`),
    nextCommands: commands,
  };
  context.outcome(document, () =>
    textOf([
      `${printable(path)} ${isChanged ? 'is written' : 'says all of this already'}`,
      fact('store', printable(url)),
      ...lines.map(({ sign, text }) => `  ${sign} ${printable(text)}`),
      ...capabilityLines(capabilities, context),
      'Next:',
      ...commands.map((command) => `  ${printable(command)}`),
    ]),
  );
}

async function runWizard(
  values: SetupValues,
  begin: InitialSetup,
  config: OpenConfig,
  context: Context<'setup'>,
): Promise<number> {
  const [{ createSetupStore }, { answersOf }, { showSetup }, { foundCredentials }, { lookOf }] = await Promise.all([
    import('../../stores/setup/setup-store.js'),
    import('../../stores/setup/setup-state.js'),
    import('../../screens/setup/show-setup.js'),
    import('../../core/setup/found-credentials.js'),
    import('../../ui/look.js'),
  ]);
  const { place, url, profile, endpointUrl, region, account } = begin;
  const { env, userHome, signal, stdin, stdout } = context;
  const ports = setupPorts({ config, caBundle: values.caBundle, context });
  const store = createSetupStore({
    ports,
    home: userHome,
    place,
    sources: await foundCredentials({ env, profile }),
    profile,
    fields: {
      ...(url.startsWith('file:')
        ? { folder: url.slice('file://'.length) }
        : { bucket: url.slice('s3://'.length), folder: defaultFolder(userHome) }),
      ...(endpointUrl === undefined ? {} : { server: endpointUrl }),
      ...(region === undefined ? {} : { region }),
      ...(account === undefined ? {} : { account }),
    },
    settings: new Map([
      ...config.settings,
      ...(values.storageClass === undefined ? [] : [['storage.storageClass', values.storageClass] as const]),
    ]),
    signal,
  });
  await showSetup(store, { stdin, stdout, look: lookOf(context.colors.stdout, env), signal });
  if (store.getState().isBusy) context.note('setup is left as soon as what it has begun has ended');
  await store.getState().do.settled();
  signal.throwIfAborted();
  const { usability, ...state } = store.getState();
  if (state.commands.length === 0 || usability === 'none') {
    context.note('setup was left: the config file is as it was');
    return 1;
  }
  const { review, check } = state;
  const { url: chosen } = answersOf(store.getState(), userHome);
  showWritten(
    { ...state, usability, path: config.path, url: chosen, lines: review?.lines ?? [], checks: check.lines },
    context,
  );
  return 0;
}
