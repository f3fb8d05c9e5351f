// Candidates that only what this computer knows can tell: stores of the config file, datasets, versions, tags, and paths in archives. No
// request is ever made. Whatever goes wrong, a shell that waits for an answer gets none: there is nobody to tell.
import { cacheFolder } from '../core/dataset/cache/cache-folder.js';
import { displayPath, printable } from '../core/platform/paths/raw-path.js';
import type { SeenDataset } from '../core/seen/seen-names.js';
import type { SeenChild } from '../core/seen/seen-place.js';
import type { UploadId } from '../core/store/ids/upload-id.js';
import { joinStoreUrl, splitUploadUrl } from '../core/store/store-url.js';
import type { Candidate, Line } from './complete.js';
import { loadConfigLayer } from './config-layer.js';
import { archiverHome } from './archiver-home.js';
import type { Declaration } from './declaration.js';
import { camel } from './flag.js';
import { allFlags } from './global-flags.js';
import type { Host } from './host.js';
import type { Layers, Resolved } from './layers.js';
import { type Around, type NamedStore, placeUrlOf } from './named-stores.js';
import { normalizeArgv } from './normalize-argv.js';
import { resolveCall } from './parse-command.js';
import { isStoreLast } from './store-behind.js';
import { placedTexts, placeIn, STORE_KEY, typedStores } from './store-setting.js';
import type { Tokens } from './tokenize.js';
import type { Node } from './tree.js';
import type { Names } from './value-type.js';

interface KnownHost extends Host {
  readonly root: Node;
}

type SeenSome = Pick<SeenDataset, 'datasetId'> & Partial<SeenDataset>;

/** A disk that does not answer must not hold up a shell for longer; what is read is bounded by its amount, and takes far less. */
const MOST_MS = 2000;

/** Returns what is known of `names` for the line, that begins with `start`. Never throws, and never asks a server. */
export async function knownCandidates(names: Names, line: Line, host: KnownHost): Promise<readonly Candidate[]> {
  const stopping = new AbortController();
  const timer = setTimeout(() => stopping.abort(), MOST_MS);
  const late = new Promise<readonly Candidate[]>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve([])),
  );
  try {
    return await Promise.race([known(names, line, { ...host, signal: stopping.signal }), late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function known(names: Names, line: Line, host: KnownHost): Promise<readonly Candidate[]> {
  const { command, rest, start } = line;
  const config = await loadConfigLayer(host.root, command, host);
  const { stores = new Map() } = config;
  if (names === 'store') return [...stores.values()].map(storeCandidate);
  const { values, place } = callSoFar(command, rest, { stores, cwd: host.cwd, env: host.env, config });
  const text = (key: string): string | undefined => {
    const value = values[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const writerId = text('writerId');
  // The id that `auto` stands for is made when a command runs.
  if (place === undefined || writerId === 'auto') return [];
  const upload = splitUploadUrl(place);
  const base = joinStoreUrl(upload?.baseUrl ?? place, ...(writerId === undefined ? [] : ['writers', writerId]));
  const { seenPlace } = await import('../core/seen/seen-place.js');
  const seen = seenPlace(base, cacheFolder(archiverHome(host.env, host.userHome)));
  const dataset = text('datasetId');
  if (names === 'dataset') return (await seen.datasets()).map(datasetCandidate);
  if (names !== 'entry') return versionCandidates(names, await seen.dataset(dataset));
  const uploadId = (text('uploadId') ?? upload?.uploadId) as UploadId | undefined;
  const found = await seen.children({ uploadId, dataset, version: text('version') }, start, host.signal);
  return found.map(entryCandidate);
}

const storeCandidate = ({ name, place }: NamedStore): Candidate => ({ text: `${name}:`, describe: printable(place) });

const datasetCandidate = ({ datasetId, versions }: SeenSome): Candidate => ({
  text: datasetId,
  describe: versions?.[0] === undefined ? '' : `newest version ${versions[0]}`,
});

function versionCandidates(names: 'version' | 'tag', dataset: SeenDataset | undefined): readonly Candidate[] {
  if (dataset === undefined) return [];
  const tags = dataset.tags.map((text) => ({ text, describe: 'tag' }));
  if (names === 'tag') return tags;
  return [{ text: 'latest', describe: '' }, ...tags, ...dataset.versions.map((text) => ({ text, describe: '' }))];
}

/** A colon or a dash at the beginning is written as a byte: it would be read as something else. */
function entryCandidate({ path, isFolder }: SeenChild): Candidate {
  const shown = displayPath(path).replace(/^[-:]/, (first) => `\\x${first.charCodeAt(0).toString(16)}`);
  return { text: isFolder ? `${shown}/` : shown, describe: '' };
}

const NONE = (): undefined => undefined;

/** What the words so far say of the store; those that are missing do not matter yet. @throws usage */
function callSoFar(
  command: Declaration,
  rest: readonly string[],
  { stores, cwd, env, config }: Around & Pick<Layers, 'env' | 'config'>,
): { readonly values: Resolved['values']; readonly place: string | undefined } {
  const tokens = tokensOf(normalizeArgv(allFlags(command), rest).argv);
  const declared = command.args ?? [];
  const around = { stores, cwd };
  const callOf = (args: readonly string[]) => {
    const typed = { ...tokens, args };
    const placed = placedTexts(declared, typed, {
      stores,
      isLast: isStoreLast(command, typed, { stores, lower: NONE }),
    });
    const texts = { ...tokens.texts, [STORE_KEY]: typedStores(declared, placed, typed) };
    const { values } = resolveCall(command, { path: command.path, texts, env, config }, around);
    return { values, place: placeIn(values, around) };
  };
  const call = callOf(tokens.args);
  const [first, ...others] = tokens.args;
  const url = declared[0]?.store === undefined || first === undefined ? undefined : placeUrlOf(first, around);
  // A path alone may be the store, where nothing else is: what is to follow it is not typed yet.
  return call.place === undefined && url !== undefined ? callOf([url, ...others]) : call;
}

/** Reads what `normalizeArgv` wrote, without the library that a run loads for it. */
function tokensOf(argv: readonly string[]): Tokens {
  const texts: Record<string, string[]> = {};
  const end = argv.indexOf('--');
  for (const token of argv.slice(0, end)) {
    const [, name = '', text = ''] = /^--([^=]+)="(.*)"$/s.exec(token) ?? [];
    (texts[camel(name)] ??= []).push(text);
  }
  return { texts, args: argv.slice(end + 1) };
}
