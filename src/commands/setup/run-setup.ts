// `archiver setup`: the wizard on a terminal, or the same steps without questions.
import { openConfig, type OpenConfig } from '../../cli/config-change.js';
import type { Context } from '../../cli/context.js';
import { bucketUrl, formatStoreUrl, joinStoreUrl, parseStoreUrl } from '../../core/object-store/store-url.js';
import { ArchiverError, usageError } from '../../core/failures/errors.js';
import { printable } from '../../core/paths/raw-path.js';
import type { Capability } from '../../core/capabilities/capability.js';
import type { CheckLine } from '../../core/setup/check-store.js';
import type { DiffLine } from '../../core/text/line-diff.js';
import type { SetupAnswers, StoreKind } from '../../stores/setup/setup-state.js';
import { capabilityLines } from '../kit/capabilities.js';
import { fact, textOf } from '../kit/lines.js';
import { requireTerminal } from '../kit/require-terminal.js';
import { defaultFolder, setupPorts } from './setup-ports.js';

export interface SetupValues {
  readonly nonInteractive: boolean;
  readonly output: string | undefined;
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly caBundle: string | undefined;
  readonly storageClass: string | undefined;
}

/** Runs the command; returns its exit status. */
export async function runSetup(values: SetupValues, url: string | undefined, context: Context): Promise<number> {
  if (!values.nonInteractive) {
    const hint = `archiver setup --non-interactive ${url === undefined ? '[STORE]' : printable(url)}`;
    if (context.json) throw usageError('the questions of setup have no --json', hint);
    requireTerminal('setup', hint, context);
  }
  const config = await openConfig(values.output, context);
  const begin = beginning(values, url, config, context);
  return values.nonInteractive
    ? await withoutQuestions(values, begin, config, context)
    : await asked(values, begin, config, context);
}

interface Beginning {
  readonly kind: StoreKind;
  readonly url: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
}

/** What is known before anything is asked: what was typed, else what the file says, else a folder. */
function beginning(
  values: SetupValues,
  url: string | undefined,
  { settings }: OpenConfig,
  context: Context,
): Beginning {
  const endpointUrl = values.endpointUrl ?? settings.get('aws.endpointUrl');
  const bucket = settings.get('storage.bucket');
  const known =
    url ??
    settings.get('storage.url') ??
    (bucket === undefined
      ? undefined
      : joinStoreUrl(bucketUrl(bucket, context.cwd), settings.get('storage.prefix') ?? ''));
  const place = formatStoreUrl(parseStoreUrl(known ?? `file://${defaultFolder(context.userHome)}`));
  const kind = place.startsWith('file:') ? 'folder' : endpointUrl === undefined ? 'aws' : 'compatible';
  return { kind, url: place, profile: values.profile ?? settings.get('aws.profile'), endpointUrl };
}

async function withoutQuestions(
  values: SetupValues,
  begin: Beginning,
  config: OpenConfig,
  context: Context,
): Promise<number> {
  const { kind, url, profile, endpointUrl } = begin;
  const { region, caBundle, storageClass } = values;
  const ports = setupPorts({ config, caBundle, context });
  const given = {
    'aws.profile': profile,
    'aws.endpointUrl': endpointUrl,
    'aws.region': region,
    'storage.storageClass': storageClass,
  };
  const known = Object.entries(kind === 'folder' ? {} : given).filter(([, value]) => value !== undefined);
  const answers: SetupAnswers = {
    kind,
    url,
    profile,
    endpointUrl,
    region: region ?? config.settings.get('aws.region'),
    values: { 'storage.url': url, ...Object.fromEntries(known) },
  };
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
  tellWritten({ path, url, lines, commands, checks, usability, capabilities }, context);
  return 0;
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
  readonly usability: string;
  readonly capabilities: readonly Capability[];
}

function tellWritten(written: Written, context: Context): void {
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

async function asked(values: SetupValues, begin: Beginning, config: OpenConfig, context: Context): Promise<number> {
  const [{ createSetupStore }, { answersOf }, { showSetup }, { foundCredentials }, { lookOf }] = await Promise.all([
    import('../../stores/setup/setup-store.js'),
    import('../../stores/setup/setup-state.js'),
    import('../../screens/setup/show-setup.js'),
    import('../../core/setup/found-credentials.js'),
    import('../../ui/look.js'),
  ]);
  const { kind, url, profile, endpointUrl } = begin;
  const { env, userHome, signal, stdin, stdout } = context;
  const ports = setupPorts({ config, caBundle: values.caBundle, context });
  const store = createSetupStore({
    ports,
    home: userHome,
    kind,
    sources: await foundCredentials({ env, profile }),
    profile,
    fields: {
      ...(kind === 'folder'
        ? { folder: url.slice('file://'.length) }
        : { bucket: url.slice('s3://'.length), folder: defaultFolder(userHome) }),
      ...(endpointUrl === undefined ? {} : { server: endpointUrl }),
      region: values.region ?? config.settings.get('aws.region') ?? '',
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
  const state = store.getState();
  if (state.commands.length === 0) {
    context.note('setup was left: the config file is as it was');
    return 1;
  }
  const { review, check } = state;
  const place = answersOf(state, userHome).url;
  tellWritten({ ...state, path: config.path, url: place, lines: review?.lines ?? [], checks: check.lines }, context);
  return 0;
}
