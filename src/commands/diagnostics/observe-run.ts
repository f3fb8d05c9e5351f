// Observes one run as its flags ask: with a log, an endpoint, profiles. Loaded only then.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Collector } from '../../core/diagnostics/observe/collect.js';
import { errorText } from '../../core/platform/failures/errors.js';
import { withoutSecrets } from '../../core/platform/failures/hide-secrets.js';
import type { EventConsumer } from '../../core/events/fan-out.js';
import { logLineOf } from '../../core/diagnostics/observe/log-events.js';
import { type LogFile, type LogLevel, openLog } from '../../core/diagnostics/observe/log-file.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { Context } from '../../cli/context.js';
import { failureOf } from '../../cli/errors.js';
import { laterLines } from '../../cli/later-lines.js';
import type { BegunCall, CallListener } from '../../cli/slots.js';
import { observeFlags } from './observe-flags.js';

type ObservedContext = Pick<Context, 'cwd' | 'note' | 'now' | 'signal' | 'stderr' | 'warn'>;

type CallFacts = Pick<BegunCall<Context>, 'version' | 'command' | 'hasScreen'>;

/** One of the instruments that observe a run. */
type Instrument = Pick<CallListener, 'said' | 'close'> & { readonly consumer?: EventConsumer };

/**
 * Starts the instruments. `values` are those of the observing flags and of their details. @throws usage and io for an instrument that
 * cannot be started: the run has not begun then
 */
export async function observeRun(
  values: Readonly<Record<string, unknown>>,
  context: ObservedContext,
  about: CallFacts,
): Promise<CallListener> {
  const parts: Instrument[] = [];
  const close = async (end: unknown): Promise<void> => {
    for (const part of parts.toReversed())
      await part.close(end).catch((error: unknown) => context.warn(`an instrument failed: ${errorText(error)}`));
  };
  try {
    if (values['trace'] === true) parts.push(traced(context, about));
    if (typeof values['logFile'] === 'string') parts.push(logged(values['logFile'], values, context, about));
    if (values['pprof'] === true || values['selfProfile'] === true)
      parts.push(...(await profiled(values, context, about.command)));
  } catch (error) {
    await close(error);
    throw error;
  }
  const consumers = parts.flatMap(({ consumer }) => consumer ?? []);
  return { consumers, said: parts.find(({ said }) => said !== undefined)?.said, close };
}

/** Writes a line to stderr for each event: `· 0.12 s phase phase=packing`. */
function traced({ now, stderr }: ObservedContext, { hasScreen }: CallFacts): Instrument {
  const startedAt = now().getTime();
  const later = hasScreen ? laterLines(stderr, 'lines') : undefined;
  const write = later?.write ?? ((line: string): void => void stderr.write(line));
  return {
    consumer: {
      name: 'trace',
      take(event) {
        const line = logLineOf(event);
        if (line === undefined) return;
        const { level: _level, event: what, message, ...fields } = line;
        const told = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
        const seconds = ((now().getTime() - startedAt) / 1000).toFixed(2);
        const text = [`· ${seconds} s`, what, ...(message === undefined ? [] : [message]), ...told].join(' ');
        write(`${printable(withoutSecrets(text))}\n`);
      },
    },
    close: async () => await Promise.resolve(later?.end()),
  };
}

function logged(
  path: string,
  { logLevel }: Readonly<Record<string, unknown>>,
  { cwd, now, signal, warn }: ObservedContext,
  { version, command }: CallFacts,
): Instrument {
  let isOpen = false; // warnings about the log itself are not logged
  const onTrouble = (text: string): void => {
    isOpen = false;
    warn(text);
    isOpen = true;
  };
  const log: LogFile = openLog({
    path: resolve(cwd, path),
    level: logLevel as LogLevel,
    common: { command, pid: process.pid },
    now,
    onTrouble,
  });
  isOpen = true;
  const startedAt = now().getTime();
  log.write({
    level: 'info',
    event: 'begin',
    archiverVersion: version,
    nodeVersion: process.version,
    host: hostname(),
  });
  return {
    consumer: {
      name: 'log',
      take(event) {
        const line = logLineOf(event);
        if (line !== undefined) log.write(line);
      },
    },
    said(level, message) {
      if (isOpen) log.write({ level, event: 'message', message });
    },
    async close(end) {
      const durationMs = now().getTime() - startedAt;
      if (typeof end === 'number')
        log.write({ level: end === 0 ? 'info' : 'error', event: 'exit', exitStatus: end, durationMs });
      else {
        const { exitCode, code, message, hint, stack } = failureOf(end, signal);
        log.write({
          level: 'error',
          event: 'exit',
          message,
          exitStatus: exitCode,
          durationMs,
          code,
          hint: hint ?? null,
        });
        log.write({ level: 'debug', event: 'stack', message: stack });
      }
      isOpen = false;
      log.close();
      await Promise.resolve();
    },
  };
}

async function profiled(
  { pprof, pprofAddr, allowPublicObservability, selfProfile }: Readonly<Record<string, unknown>>,
  context: ObservedContext,
  command: string,
): Promise<readonly Instrument[]> {
  const { Collector } = await import('../../core/diagnostics/observe/collect.js');
  const collector = await Collector.open({ live: true });
  const parts: Instrument[] = [{ close: async () => await collector.close() }];
  try {
    if (pprof === true) {
      const text = typeof pprofAddr === 'string' ? pprofAddr : (observeFlags.pprofAddr.defaultText ?? '');
      parts.push(await served(text, allowPublicObservability === true, collector, context, command));
    }
    if (selfProfile === true) parts.push(await profiledWhole(collector, context));
  } catch (error) {
    for (const part of parts.toReversed()) await part.close(error);
    throw error;
  }
  return parts;
}

async function served(
  text: string,
  allowPublic: boolean,
  collector: Collector,
  context: ObservedContext,
  command: string,
): Promise<Instrument> {
  const { listenAddress } = await import('../../core/platform/http/listen-address.js');
  const { servePprof } = await import('../../core/diagnostics/observe/pprof-server.js');
  const { phaseConsumer } = await import('../../core/diagnostics/observe/execution-trace.js');
  const address = await listenAddress(text, { allowPublic, flag: '--pprof-addr' });
  const server = await servePprof(address, collector, command);
  context.note(`profiles of this run are at http://${server.at}/debug/pprof/`);
  return { consumer: phaseConsumer(), close: async () => await server.close() };
}

async function profiledWhole(collector: Collector, context: ObservedContext): Promise<Instrument> {
  const { profileFolder, writeProfiles } = await import('../../core/diagnostics/observe/profile-files.js');
  const folder = await profileFolder(undefined);
  const stop = await collector.begin(['cpu', 'memory']);
  return {
    async close() {
      const result = await stop();
      await writeProfiles(folder, result);
      for (const trouble of result.troubles) context.warn(trouble);
      context.note(`profiles of this run are in ${printable(folder)}: archiver profile list -d ${printable(folder)}`);
    },
  };
}
