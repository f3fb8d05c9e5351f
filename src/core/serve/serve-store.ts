// Serves the versions of a store over HTTP, and as WebDAV of class 1 where that is asked for. It only reads.
import type { IncomingMessage } from 'node:http';
import type { ListenAddress } from '../platform/http/listen-address.js';
import { type LocalServer, openServer } from '../platform/http/local-server.js';
import { isArchiverError } from '../platform/failures/errors.js';
import { displayPath, joinParts } from '../platform/paths/raw-path.js';
import { DecodedFrames } from '../restore/listing/decoded-frames.js';
import type { ReadFileOptions } from '../restore/listing/read-file.js';
import { type Answer, errorAnswer, methodsOf, plain, redirect } from './answer.js';
import { answerContent, type ContentSource } from './answer-content.js';
import { listingPage, orderOf, PAGE_POLICY } from './listing-page.js';
import { multistatus } from './multistatus.js';
import { OpenVersions } from './open-versions.js';
import { wantedProperties } from './propfind-body.js';
import { sendAnswer } from './send-answer.js';
import { type Found, type FoundFile, type FoundFolder, ServedTree } from './served-tree.js';
import { shownToken } from './token.js';
import { type RequestPath, requestPath, urlPath } from './url-path.js';
import { VersionBook } from './version-book.js';

export interface ServeOptions extends Pick<ReadFileOptions, 'reader' | 'cache' | 'signal'> {
  readonly address: ListenAddress;
  /** The flag that gave the address, for messages. */
  readonly flag: string;
  readonly isWebdav: boolean;
  /** What requests must bring; undefined for nothing. */
  readonly token: string | undefined;
  /** What is served, as people know it. */
  readonly title: string;
  /** Returns the check of one reading, before it fetches anything of this file. */
  readonly mayFetch: (file: FoundFile) => ReadFileOptions['mayFetch'];
  /** Says what it takes to read a file in cold storage: its price, and the command. */
  readonly coldText: (file: FoundFile) => Promise<string>;
  /** Milliseconds since some fixed moment. */
  readonly now: () => number;
  readonly onRequest: (request: ServedRequest) => void;
  /** Called as bytes of content leave. */
  readonly onBytes: (bytes: number) => void;
  readonly warn: (text: string) => void;
}

/** A request that was answered, or not to its end. */
export interface ServedRequest {
  readonly method: string;
  /** Its path, safe to show. */
  readonly path: string;
  readonly status: number;
  readonly isWhole: boolean;
}

/** Enough for some browsers and mounts; each may hold some megabytes. */
const CONNECTIONS = 64;
const KEEP_ALIVE_MS = 30_000;
/** The manifest of a large version may take minutes to open. */
const STALL_MS = 600_000;
const MOST_BODY_BYTES = 64 * 1024;

/** Starts to serve. @throws usage for a port in use, `io` for other refusals of the system */
export async function serveStore(options: ServeOptions): Promise<LocalServer> {
  const { address, flag, token, onRequest, onBytes, warn, signal } = options;
  const use = {
    connections: CONNECTIONS,
    keepAliveMs: KEEP_ALIVE_MS,
    stallMs: STALL_MS,
    keepsProcess: true,
    asksForToken: token !== undefined,
  };
  const served = new ServedStore(options);
  return await openServer(
    address,
    flag,
    (request, response) => {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const asked = { request, signal: AbortSignal.any([signal, gone.signal]) };
      const path = requestPath(request.url ?? '');
      void answered(served, path, asked)
        .then((answer) => sendAnswer(answer, request, response, onBytes))
        .then((error) => {
          const { method = '' } = request;
          const shown = path === undefined ? '?' : `/${displayPath(joinParts(path.parts))}`;
          onRequest({ method, path: shown, status: response.statusCode, isWhole: error === undefined });
          // Whoever asked may have gone; what the store says is worth a line.
          if (isArchiverError(error) && error.code !== 'cancelled')
            warn(`${shown} was not sent to its end: ${error.message}`);
        });
    },
    use,
  );
}

interface Asked {
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

/** The answer to a request, whatever happens. */
async function answered(served: ServedStore, path: RequestPath | undefined, asked: Asked): Promise<Answer> {
  try {
    return await served.answer(path, asked);
  } catch (error) {
    return errorAnswer(error);
  }
}

class ServedStore {
  private readonly versions: OpenVersions;
  private readonly tree: ServedTree;
  private readonly methods: readonly string[];
  private readonly decoded = new DecodedFrames();

  constructor(private readonly options: ServeOptions) {
    const { reader, signal, isWebdav } = options;
    this.versions = new OpenVersions(reader, signal);
    this.tree = new ServedTree(new VersionBook(options), this.versions);
    this.methods = methodsOf(isWebdav);
  }

  async answer(path: RequestPath | undefined, asked: Asked): Promise<Answer> {
    const { method = '', headers } = asked.request;
    const refused = this.refusal(path, asked.request);
    if (refused !== undefined) return refused;
    if (!this.methods.includes(method)) {
      const answer = plain(405, 'this only reads: versions do not change');
      return { ...answer, headers: { ...answer.headers, allow: this.methods.join(', ') } };
    }
    if (path === undefined) return plain(400, 'this is no path of a file or folder');
    if (method === 'OPTIONS') {
      const dav = this.options.isWebdav ? { dav: '1', 'ms-author-via': 'DAV' } : {};
      return { status: 204, headers: { allow: this.methods.join(', '), ...dav } };
    }
    const found = await this.tree.find(path.parts);
    if (found.kind === 'none') return plain(404, found.reason);
    if (method === 'PROPFIND') return await properties(path, found, asked.request);
    if (found.kind === 'folder') return this.page(path, found);
    if (path.isFolder) return redirect(urlPath(path.parts, false));
    return await answerContent(found, { method, headers }, this.contentOf(path, asked.signal));
  }

  /** What answers a request without the token; a browser that has brought it in the address is sent on without it there. */
  private refusal(path: RequestPath | undefined, { method, headers, socket }: IncomingMessage): Answer | undefined {
    const { token } = this.options;
    if (token === undefined) return undefined;
    const cookie = `archiver-${socket.localPort ?? 0}`;
    const shown = shownToken(token, cookie, { headers, query: path?.query ?? new URLSearchParams() });
    if (shown === undefined) {
      const answer = plain(401, 'a token is needed: open the address that the server has printed');
      return {
        ...answer,
        headers: { ...answer.headers, 'www-authenticate': 'Basic realm="archiver", charset="UTF-8"' },
      };
    }
    const isBrowser = method === 'GET' && headers.accept?.includes('text/html') === true;
    if (shown !== 'address' || !isBrowser || path === undefined) return undefined;
    const answer = redirect(urlPath(path.parts, path.isFolder));
    return {
      ...answer,
      headers: { ...answer.headers, 'set-cookie': `${cookie}=${token}; HttpOnly; SameSite=Strict; Path=/` },
    };
  }

  private page({ parts, isFolder, query }: RequestPath, folder: FoundFolder): Answer {
    if (!isFolder) return redirect(urlPath(parts, true));
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'private, no-store',
    };
    return {
      status: 200,
      headers,
      body: listingPage({ parts, folder, order: orderOf(query), title: this.options.title }),
    };
  }

  private contentOf({ parts }: RequestPath, signal: AbortSignal): ContentSource {
    const { reader, cache, mayFetch, coldText } = this.options;
    return {
      read: (file) => ({
        reader,
        cache,
        decoded: this.decoded,
        uploadId: file.version.uploadId,
        listing: file.listing,
        mayStop: true,
        mayFetch: mayFetch(file),
        signal,
      }),
      coldText,
      again: async (file) => {
        this.versions.forget(file.version.uploadId);
        const found = await this.tree.find(parts);
        return found.kind === 'file' ? found : undefined;
      },
    };
  }
}

async function properties({ parts }: RequestPath, found: Exclude<Found, { kind: 'none' }>, request: IncomingMessage) {
  const { depth } = request.headers;
  const headers = { 'content-type': 'application/xml; charset=utf-8', 'cache-control': 'private, no-store' };
  if (depth !== '0' && depth !== '1') {
    const error =
      '<?xml version="1.0" encoding="utf-8"?>\n<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>\n';
    return { status: 403, headers, body: [error] };
  }
  const body = await bodyOf(request);
  if (body === undefined) return plain(413, 'this body is too long for a PROPFIND');
  const wanted = wantedProperties(body);
  if (wanted === undefined) return plain(400, 'this body is no PROPFIND');
  return { status: 207, headers, body: multistatus(parts, found, { wanted, hasChildren: depth === '1' }) };
}

/** The body of a request; undefined when it is too long. It is read to its end: a connection that is left there cannot be answered. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.byteLength;
    if (bytes <= MOST_BODY_BYTES) pieces.push(piece);
  }
  return bytes <= MOST_BODY_BYTES ? Buffer.concat(pieces).toString('utf8') : undefined;
}
