// One call of the program, from argv to exit status. Touches the process only through the host.
import { BrokenPipe } from './checked-write.js';
import { colorChoice, usesColor, type ColorChoice } from './colors.js';
import type { Command } from './command.js';
import type { Context } from './context.js';
import { loadConfigLayer } from './config-layer.js';
import { createContext, type RunContext } from './create-context.js';
import { beforeArguments, earlyFlags } from './early-flags.js';
import { failureDocument, failureLine, failureOf, failureText, isTold, otherLine } from './errors.js';
import { flag } from './flag.js';
import { globalsPage, helpPage } from './help.js';
import type { Called } from './feature.js';
import type { Host } from './host.js';
import { lostOutput } from './lost-output.js';
import { warnOfMisspelt } from './misspelt.js';
import { Output } from './output.js';
import { normalizeArgv } from './normalize-argv.js';
import { parseCommand } from './parse-command.js';
import { describeGlobals, describeNode } from './describe.js';
import { noSuchCommand, route } from './route.js';
import { documentLine } from '../core/platform/json/document.js';
import { ArchiverError } from '../core/platform/failures/errors.js';
import { FEWEST_OPEN_FILES } from '../core/platform/limits/open-files.js';
import type { CallListener } from './slots.js';
import { callOf, findNode, type Node } from './tree.js';
import { watchedBy } from './watched-by.js';
import { checkWorkingFolder } from './working-folder.js';

export interface Program {
  /** As `programOf` makes it, or a tree without features. */
  readonly root: Called;
  readonly version: string;
}

const versionFlag = flag.on({ describe: 'print the version' });
const isHelp = (token: string): boolean => token === '--help' || token === '-h';

interface Call extends Program {
  readonly argv: readonly string[];
  readonly host: Host;
  readonly output: Output;
  /** What failures look like; known in full once the flags are parsed. */
  json: boolean;
  /** True with `--progress-format json`: stderr ends in JSON lines. */
  jsonLines: boolean;
  trace: boolean;
  color: ColorChoice;
  /** What is done when the failure of the command is told. */
  afterwards?: () => Promise<void>;
  /** Who follows it. */
  readonly followers: CallListener[];
}

async function showHelp(call: Call, node: Node, isWhole = false): Promise<number> {
  await call.output.write(call.json ? otherLine(describeNode(node)) : helpPage(node, isWhole));
  return 0;
}

async function helpCommand(call: Call, words: readonly string[]): Promise<number> {
  const names = words.filter((word) => !word.startsWith('-'));
  const node = findNode(call.root, names);
  if (node !== undefined) return showHelp(call, node, true);
  if (names[0] === 'globals') {
    await call.output.write(call.json ? otherLine(describeGlobals(call.root)) : globalsPage(call.root));
    return 0;
  }
  const known = names.findIndex((_, index) => findNode(call.root, names.slice(0, index + 1)) === undefined);
  throw noSuchCommand(findNode(call.root, names.slice(0, known)) ?? call.root, names[known]);
}

async function showVersion(call: Call): Promise<number> {
  await call.output.write(call.json ? otherLine({ programVersion: call.version }) : `archiver ${call.version}\n`);
  return 0;
}

/** Calls within this one. They begin with its surroundings, are watched by what watches it, and tell nobody of their settings. */
function callsOf(call: Call): Context['runCall'] {
  const { root, version, host } = call;
  const { env, cwd, userHome, now, captureInterrupt, onForcedExit, useUtc } = host;
  return async (argv, streams) => {
    const whole = (await root.whole?.()) ?? root;
    const own = {
      ...(captureInterrupt && { captureInterrupt }),
      ...(onForcedExit && { onForcedExit }),
      ...(useUtc && { useUtc }),
    };
    const followers = [
      ...(host.followers ?? []),
      ...call.followers.flatMap(({ consumers }) => consumers),
      ...(streams.followers ?? []),
    ];
    const ours = { ...own, ...streams, followers, isInner: true };
    return await runProgram({ root: whole, version }, argv, { env, cwd, userHome, now, ...ours });
  };
}

async function runCommand(call: Call, command: Command, rest: readonly string[]): Promise<number> {
  const { host, output, root } = call;
  const { features = [] } = root;
  const parsed = await parseCommand(command, {
    argv: rest,
    env: host.env,
    cwd: host.cwd,
    config: () => loadConfigLayer(root, command, host),
  });
  const node = findNode(root, command.path.split(' ')) ?? root;
  if (parsed === undefined) return showHelp(call, node);
  const { flags: own = {}, path, hasScreen = false } = command;
  const made = createContext(host, output, parsed, { root, runCall: callsOf(call), features }, command);
  call.json = made.context.json;
  call.jsonLines = parsed.values['progressFormat'] === 'json';
  call.trace = made.context.trace;
  call.color = colorChoice(parsed.values['color']);
  host.onSettings?.({ trace: call.trace, color: call.color });
  checkOpenFiles(host.openFiles);
  checkWorkingFolder(host);
  const values = Object.fromEntries(Object.keys(own).map((key) => [key, parsed.values[key]]));
  const isInner = host.isInner === true;
  const begun = { ...parsed, own, isInner, context: made.context, command: path, hasScreen, version: call.version };
  for (const { follow } of features) {
    const follower = await follow?.(begun);
    if (follower === undefined) continue;
    call.followers.push(follower);
    made.follow(follower);
  }
  const watched = await watchedBy(features, begun);
  const run = { ...made, context: { ...made.context, ...watched.parts } };
  if (!isInner) await warnOfMisspelt({ root, command }, host.env, (text) => run.context.warn(text));
  const asBefore = usesUtc(command, parsed.values) ? host.useUtc?.() : undefined;
  try {
    return await runToEnd(call, command, { run, values, args: parsed.args });
  } finally {
    asBefore?.();
    await watched.close();
  }
}

const usesUtc = (command: Command, values: Readonly<Record<string, unknown>>): boolean =>
  values['utc'] === true || command.usesUtc?.(values) === true;

/** What it used is recorded, however it ended. */
const recordRun = async (context: Context, end: unknown): Promise<void> => await context.account.record?.(context, end);

interface Ready {
  readonly run: RunContext;
  readonly values: Readonly<Record<string, unknown>>;
  readonly args: readonly unknown[];
}

async function runToEnd(call: Call, command: Command, { run, values, args }: Ready): Promise<number> {
  const { output, json } = call;
  let status: number;
  try {
    status = (await command.run(values, args, run.context)) ?? 0;
  } catch (error) {
    await run.settled(1).catch(() => undefined); // what was done before it failed; the failure is told in any case
    call.afterwards = async () => await recordRun(run.context, error);
    throw error;
  }
  try {
    await run.settled(status);
    if (json) await writeDocument(output, run, command);
  } catch (error) {
    // The work is done: that nobody reads its result does not change how it ended.
    if (error instanceof BrokenPipe) return status;
    const { failure } = output;
    throw failure !== undefined && error === failure ? lostOutput(failure, status) : error;
  } finally {
    // Whoever waits for the result does not wait for budgets and alerts.
    await recordRun(run.context, status);
  }
  return status;
}

// Node loads the modules of a command all at once; below this it fails in the middle of that, and says nothing useful.
function checkOpenFiles(limit: number | undefined): void {
  if (limit === undefined || limit >= FEWEST_OPEN_FILES) return;
  throw new ArchiverError(
    'io',
    `no more than ${limit} files may be open at once here, and archiver needs ${FEWEST_OPEN_FILES}`,
    {
      hint: 'raise the limit (ulimit -n 1024)',
    },
  );
}

async function writeDocument(output: Output, run: RunContext, command: Command): Promise<void> {
  const document = run.document();
  if (document === 'streamed') return;
  if (document?.value === undefined) throw new Error(`${command.path} ended without its JSON document`);
  await output.write(documentLine(document.value));
}

/** A group, or the program itself, called with flags alone. */
async function runGroup(call: Call, node: Node, rest: readonly string[]): Promise<number> {
  const isRoot = node.words.length === 0;
  // Checks the flags: an unknown one is told here like anywhere else.
  const { argv, wantsHelp } = normalizeArgv(
    isRoot ? { ...node.globals.flags, version: versionFlag } : node.globals.flags,
    rest,
  );
  if (wantsHelp) return showHelp(call, node);
  if (!isRoot) throw noSuchCommand(node, undefined);
  if (argv.includes('--version="true"')) return showVersion(call);
  // Only here: a call that names a command needs nothing of it.
  const { bareCommand } = await import('./bare-call.js');
  const command = await bareCommand(call.root, argv, call.host);
  return command === undefined ? showHelp(call, node) : runCommand(call, command, rest);
}

async function dispatch(call: Call): Promise<number> {
  const { argv, root } = call;
  const { node, rest, word } = route(root, argv);
  if (node.command !== undefined) return runCommand(call, node.command, rest);
  if (node === root && word === 'help') return helpCommand(call, rest.slice(rest.indexOf('help') + 1));
  if (word === undefined) return runGroup(call, node, rest);
  if (beforeArguments(rest).some(isHelp)) return showHelp(call, node);
  throw noSuchCommand(node, word);
}

function hintFor(root: Node, argv: readonly string[]): string {
  return `${callOf(route(root, argv).node)} --help`;
}

async function report(call: Call, error: unknown): Promise<number> {
  const { host, output, trace } = call;
  const found = failureOf(error, host.signal);
  const failure =
    found.code === 'usage' && found.hint === undefined ? { ...found, hint: hintFor(call.root, call.argv) } : found;
  const isPrinted = call.json && (await isWritten(output, otherLine(failureDocument(failure, trace))));
  // Lines of progress have no stack.
  if (!isPrinted && (!call.jsonLines || trace)) {
    const color = usesColor(call.color, host.env, host.stderr.isTTY === true);
    host.stderr.write(failureText(failure, { color, trace }));
  }
  if (call.jsonLines && !isTold(error)) host.stderr.write(failureLine(failure, host.now()));
  return failure.exitCode;
}

/** False where stdout takes nothing: then the failure is told on stderr. */
async function isWritten(output: Output, text: string): Promise<boolean> {
  try {
    await output.write(text);
    return true;
  } catch (error) {
    if (error instanceof BrokenPipe) return true;
    if (error === output.failure) return false;
    throw error;
  }
}

/** Runs the program once and gives its exit status. Never throws. */
export async function runProgram(program: Program, argv: readonly string[], host: Host): Promise<number> {
  const output = new Output(host.stdout);
  const call: Call = {
    ...program,
    argv,
    host,
    output,
    ...earlyFlags(argv, host.env),
    color: 'auto',
    followers: [],
  };
  let end: unknown;
  try {
    if (argv[0] === '__complete') {
      const { completions } = await import('./complete-call.js');
      await output.write(await completions(program.root, argv.slice(1), host));
      return 0;
    }
    const status = await dispatch(call);
    end = status;
    // Told already by whoever ended with another status.
    return output.failure !== undefined && status === 0 ? await report(call, output.failure) : status;
  } catch (error) {
    end = error;
    if (error instanceof BrokenPipe) return 0;
    if (output.gone.aborted && error === output.gone.reason) return 0;
    return await report(call, error);
  } finally {
    await call.afterwards?.();
    for (const follower of call.followers) await follower.close(end);
    await output.flush();
    output.release();
  }
}
