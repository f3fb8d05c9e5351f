// The HTTP endpoint of `--pprof`, with the paths of Go's net/http/pprof, so that `go tool pprof` works with it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import { type Collected, type Collector, countsPprof, pprofName } from './collect.js';
import { type Kind, KINDS, MEANINGS } from './kinds.js';
import type { ListenAddress } from '../../platform/http/listen-address.js';
import { type LocalServer, openServer } from '../../platform/http/local-server.js';
import { type RuntimeWatch, threadCounts, waitingCounts, watchRuntime } from './runtime-stats.js';

/** Default durations; 30 is Go's own for a CPU profile. Profiles that Go returns immediately are collected for a short time. */
const SECONDS: Readonly<Record<string, number>> = { profile: 30, trace: 1, allocs: 5, block: 5, mutex: 5 };
const MOST_SECONDS = 3600;

const KIND_OF: ReadonlyMap<string, Exclude<Kind, 'goroutine'>> = new Map([
  ['profile', 'cpu'],
  ['heap', 'memory'],
  ['allocs', 'allocs'],
  ['block', 'block'],
  ['mutex', 'mutex'],
  ['trace', 'trace'],
]);

class BadRequest extends Error {}

function secondsOf(query: URLSearchParams, fallback: number): number {
  const text = query.get('seconds');
  const seconds = text === null ? fallback : Number(text);
  if (seconds >= 0 && seconds <= MOST_SECONDS) return seconds;
  throw new BadRequest(`seconds wants a number from 0 to ${MOST_SECONDS}`);
}

const linesOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}\n`)
    .join('');

const page = (): string => {
  const row = (path: string, text: string): string => `<li><a href="${path}">${path}</a>: ${text}</li>`;
  const rows = [
    ...[...KIND_OF].map(([path, kind]) => row(path, MEANINGS[kind])),
    row('goroutine?debug=1', MEANINGS.goroutine),
    row('threadcreate?debug=1', 'threads of the process'),
    row('cmdline', 'the words of the command'),
    row('/debug/archiver/stats', 'memory, event loop, garbage collection'),
  ];
  return `<!doctype html><title>/debug/pprof/</title><h1>archiver: /debug/pprof/</h1><ul>${rows.join('')}</ul>\n`;
};

const TEXT = { type: 'text/plain; charset=utf-8' };

interface Served {
  readonly type: string;
  readonly body: Buffer | string;
  readonly name?: string;
}

/** Returns undefined for an unknown path. */
type Answer = (url: URL, over: AbortSignal) => Promise<Served | undefined>;

/** Takes profiles; refuses while others are being taken. */
type Collect = (kinds: readonly Kind[], seconds: number, over: AbortSignal) => Promise<Collected>;

/** Starts the server. `command` is the command line. @throws usage, io when it cannot listen */
export async function servePprof(address: ListenAddress, collector: Collector, command: string): Promise<LocalServer> {
  const watch = watchRuntime();
  let isCollecting = false;
  const collect: Collect = async (kinds, seconds, over) => {
    if (isCollecting) throw new ArchiverError('conflict', 'another profile is being taken');
    isCollecting = true;
    try {
      const stop = await collector.begin(kinds);
      // Stop early when the client has gone away.
      await sleep(seconds * 1000, undefined, { signal: over, ref: false }).catch(() => undefined);
      return await stop();
    } finally {
      isCollecting = false;
    }
  };
  const answer: Answer = async ({ pathname, searchParams }, over) => {
    const [, room, name = ''] = /^\/debug\/(pprof|archiver)\/(\w*)$/.exec(pathname) ?? [];
    if (room === 'archiver') return await answerArchiver(name, searchParams, { collect, watch, over });
    if (name === 'cmdline') return { ...TEXT, body: `archiver ${command}`.replaceAll(' ', '\0') };
    return room === undefined ? undefined : await answerPprof(name, searchParams, collect, over);
  };
  try {
    const server = await openServer(address, '--pprof-addr', (request, response) => {
      void respond(request, response, answer);
    });
    const close = async (): Promise<void> => {
      watch.stop();
      await server.close();
    };
    return { at: server.at, close };
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** Answers `profile collect` and `profile stats`. */
async function answerArchiver(
  name: string,
  query: URLSearchParams,
  { collect, watch, over }: { readonly collect: Collect; readonly watch: RuntimeWatch; readonly over: AbortSignal },
): Promise<Served | undefined> {
  const json = { type: 'application/json' };
  if (name === 'stats') return { ...json, body: JSON.stringify(await watch.stats()) };
  if (name !== 'collect') return undefined;
  const asked = (query.get('kinds') ?? '').split(',');
  const kinds = KINDS.filter((kind) => asked.includes(kind));
  const { files, troubles } = await collect(kinds, secondsOf(query, 0), over);
  const encoded = files.map(({ name, content }) => [name, Buffer.from(content).toString('base64')]);
  return { ...json, body: JSON.stringify({ files: Object.fromEntries(encoded), troubles }) };
}

async function answerPprof(
  name: string,
  query: URLSearchParams,
  collect: Collect,
  over: AbortSignal,
): Promise<Served | undefined> {
  if (name === '') return { type: 'text/html; charset=utf-8', body: page() };
  if (name === 'goroutine' || name === 'threadcreate') {
    const counts = name === 'goroutine' ? await waitingCounts() : await threadCounts();
    if (Number(query.get('debug') ?? 0) > 0) return { ...TEXT, body: linesOf(counts) };
    return gzipped(name, await countsPprof(name, counts, Date.now()));
  }
  const kind = KIND_OF.get(name);
  if (kind === undefined) return undefined;
  const { files } = await collect([kind], secondsOf(query, SECONDS[name] ?? 0), over);
  const wanted = kind === 'trace' ? 'trace.json' : pprofName(kind);
  const body = files.find((file) => file.name === wanted)?.content ?? '';
  return kind === 'trace' ? { type: 'application/json', body, name: wanted } : gzipped(name, body);
}

const gzipped = (name: string, body: Buffer | string): Served => ({
  type: 'application/octet-stream',
  body,
  name: `${name}.pb.gz`,
});

/** Sends the answer. Never throws. */
async function respond(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const sendText = (status: number, text: string): void =>
    void response.writeHead(status, { 'content-type': TEXT.type }).end(`${text}\n`);
  try {
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendText(405, 'ask with GET');
    const served = await answer(new URL(request.url ?? '/', 'http://localhost'), gone.signal);
    if (served === undefined) return sendText(404, 'nothing is here: see /debug/pprof/');
    response.writeHead(200, {
      'content-type': served.type,
      'x-content-type-options': 'nosniff',
      ...(served.name !== undefined && { 'content-disposition': `attachment; filename="${served.name}"` }),
    });
    response.end(served.body);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendText(error instanceof BadRequest ? 400 : isArchiverError(error, 'conflict') ? 409 : 500, errorText(error));
  }
}
