// Makes the context for `run`. All output goes through here, so that --json, --quiet and escaping are always kept.
import { archiverHome } from './archiver-home.js';
import type { PriceSettings } from '../core/cost/own-prices.js';
import { PROVIDERS } from '../core/store/providers/provider.js';
import type { EventConsumer } from '../core/events/fan-out.js';
import { escapeForTerminal } from '../core/platform/json/document.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { colorChoice, usesColor } from './colors.js';
import { confirm } from './confirm.js';
import type { Context } from './context.js';
import type { Declaration } from './declaration.js';
import type { Called } from './feature.js';
import type { Host } from './host.js';
import type { Output } from './output.js';
import type { ParsedCommand } from './parse-command.js';
import type { CallListener, Slots } from './slots.js';

/** A context, and the document to print when the command has ended. */
export interface RunContext {
  readonly context: Context<string>;
  readonly document: () => { readonly value: object | undefined } | 'streamed' | undefined;
  /** Adds a follower from now on. */
  readonly follow: (follower: Pick<CallListener, 'consumers' | 'said'>) => void;
  /** Resolves when the text of the result is written; the exit status decides whether that of `outcome` is. */
  readonly settled: (status: number) => Promise<void>;
}

const escapeLines = (text: string): string => text.split('\n').map(printable).join('\n');

const priceSettings = (values: ParsedCommand['values']): PriceSettings => ({
  discount: typeof values['priceDiscount'] === 'number' ? values['priceDiscount'] : undefined,
  own: (values['ownPrices'] ?? {}) as PriceSettings['own'],
  provider: PROVIDERS.find((name) => name === values['provider']),
});

interface Surroundings extends Pick<Context, 'runCall'> {
  readonly root: Called;
  readonly features: readonly Slots<Context>[];
}

/** Makes the context of one run. */
export function createContext(
  host: Host,
  output: Output,
  parsed: ParsedCommand,
  { root, runCall, features }: Surroundings,
  command: Declaration,
): RunContext {
  const own = new Set(Object.keys(command.flags ?? {}));
  const { values, origins } = parsed;
  // A command's own flag of a global's name means something else there, so the global stays off.
  const global = (key: string): unknown => (own.has(key) ? undefined : values[key]);
  const json = values['json'] === true;
  const quiet = values['quiet'] === true;
  const trace = global('trace') === true;
  const verbose = global('verbose') === true || trace;
  const choice = colorChoice(values['color']);
  const memoryLimit = command.keepsMemoryLimit?.(values) === true ? values['memoryLimit'] : undefined;
  const signal = AbortSignal.any([host.signal, output.gone]);
  let document: { readonly value: object | undefined } | 'streamed' | undefined;
  let writing: Promise<void> = Promise.resolve();
  let later: (() => string) | undefined;
  const followers: EventConsumer[] = [...(host.followers ?? [])];
  const said: NonNullable<CallListener['said']>[] = [];
  const tell: NonNullable<CallListener['said']> = (...words) => said.forEach((one) => one(...words));
  const meter = features.flatMap((feature) => feature.meter ?? [])[0];
  const line = (text: string): void => void host.stderr.write(`${escapeLines(text)}\n`);

  const context: Context<string> = {
    signal,
    captureInterrupt: host.captureInterrupt ?? (() => () => undefined),
    onForcedExit: host.onForcedExit ?? (() => () => undefined),
    env: host.env,
    cwd: host.cwd,
    userHome: host.userHome,
    home: archiverHome(host.env, host.userHome),
    stdin: host.stdin,
    stdout: host.stdout,
    stderr: host.stderr,
    now: host.now,
    account: {
      isRecorded: command.isRecorded === true,
      open: meter && (async (account) => await meter(account, context)),
      values,
    },
    tree() {
      if (root.whole !== undefined) throw new Error(`${command.path} is loaded without the other commands`);
      return root;
    },
    runCall,
    json,
    quiet,
    verbose,
    trace,
    colors: {
      stdout: usesColor(choice, host.env, host.stdout.isTTY === true),
      stderr: usesColor(choice, host.env, host.stderr.isTTY === true),
    },
    memoryLimitBytes: typeof memoryLimit === 'number' ? memoryLimit : undefined,
    pricing: priceSettings(values),
    features,
    settings: values,
    stores: parsed.stores,
    settingsAt: parsed.settingsAt,
    typed: parsed.typed,
    followers,
    origins,
    result(value, text) {
      if (document !== undefined) throw new Error('a command gives one result');
      document = { value };
      if (!json) {
        writing = output.write(text());
        // `settled` awaits it again: a reader that went away must not count as an unhandled rejection.
        writing.catch(() => undefined);
      }
    },
    outcome(value, text) {
      if (document !== undefined) throw new Error('a command gives one result');
      document = { value };
      later = text;
    },
    async streamDocument(parts) {
      if (document !== undefined) throw new Error('a command gives one result');
      document = 'streamed';
      if (!json) return;
      for await (const part of parts) await output.write(escapeForTerminal(part));
      await output.write('\n');
    },
    print: (text) => (json ? Promise.resolve() : output.write(text)),
    note(text) {
      tell('info', text);
      if (!quiet) line(text);
    },
    warn(text) {
      tell('warn', text);
      line(`! ${text}`);
    },
    debug(text) {
      tell('debug', text);
      if (verbose) line(text);
    },
    confirm: (question, isYes) =>
      values['yes'] === true ? Promise.resolve(true) : confirm(host, signal, question, isYes),
  };
  const settled = async (status: number): Promise<void> => {
    await writing;
    // The text of a dry run is the answer to a question, so it is always printed.
    const isSilent = quiet && status === 0 && values['dryRun'] !== true;
    if (later !== undefined && !json && !isSilent) await output.write(later());
  };
  const follow: RunContext['follow'] = ({ consumers, said: one }) => {
    followers.push(...consumers);
    if (one !== undefined) said.push(one);
  };
  return { context, document: () => document, follow, settled };
}
