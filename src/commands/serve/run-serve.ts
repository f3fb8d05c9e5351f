// `archiver serve`: listens until it is asked to stop.
import type { Context } from '../../cli/context.js';
import { isLoopback, listenAddress } from '../../core/platform/http/listen-address.js';
import { documentLine } from '../../core/platform/json/document.js';
import { checkToken, randomToken } from '../../core/serve/token.js';
import type { DocumentParts } from '../../json/documents.js';
import type { ReadingValues } from './flags.js';
import { whileServing } from './while-serving.js';

interface ServeValues extends ReadingValues {
  readonly webdav: boolean;
  readonly listen: string;
  readonly token: string | undefined;
}

const FLAG = '--listen';

/** Runs the command; returns its exit status. */
export async function runServe(values: ServeValues, url: string, context: Context<'serve'>): Promise<number> {
  const address = await listenAddress(values.listen, { allowPublic: true, flag: FLAG });
  const isPublic = !isLoopback(address.host);
  const given = values.token === undefined || values.token === 'auto' ? undefined : checkToken(values.token, '--token');
  const token = given ?? (isPublic || values.token === 'auto' ? randomToken() : undefined);
  const server = { url, values, address, flag: FLAG, isWebdav: values.webdav, token };
  await whileServing(server, context, async ({ servedUrl, location, show, warn }) => {
    await show(`Serving ${location} at ${servedUrl}`);
    if (isPublic)
      warn(`${servedUrl} is open to others, and without encryption: the token goes over the network as it is`);
    const accessToken = given === undefined ? (token ?? null) : null;
    const document = { location, servedUrl, isWebdav: values.webdav, accessToken };
    await context.print(`${servedUrl}${accessToken === null ? '' : `?token=${accessToken}`}\n`);
    await context.streamDocument(asParts(document));
    await untilAborted(context.signal);
  });
  return 0;
}

/** A document that is printed while the command goes on. */
export const asParts = <D extends object>(document: D): DocumentParts<D> =>
  partsOf(document) as AsyncIterable<string> as DocumentParts<D>;

async function* partsOf(document: object): AsyncGenerator<string> {
  yield await Promise.resolve(documentLine(document).trimEnd());
}

/** Resolves when the run is asked to stop. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
