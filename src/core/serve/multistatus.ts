// The answer to a PROPFIND (RFC 4918, section 13), written as rows come. Symbolic links are left out: WebDAV has none.
import { displayPath, type RawPath } from '../platform/paths/raw-path.js';
import { contentType } from './content-type.js';
import { escaped } from './listing-page.js';
import { DAV, type PropertyName, type Wanted } from './propfind-body.js';
import type { FileFacts, FoundFile, FoundFolder } from './served-tree.js';
import { urlPath } from './url-path.js';

interface Resource {
  readonly parts: readonly RawPath[];
  readonly modified: Date | undefined;
  /** Undefined for a folder. */
  readonly file: FileFacts | undefined;
}

const PIECE = 1 << 15;
/** The characters without a meaning that `displayPath` shows and XML does not allow. */
const NOT_IN_XML = /[\ufffe\uffff]/g;

/** Yields the answer about a file or folder, and about what is in the folder where that is asked for. @throws what its rows throw */
export async function* multistatus(
  parts: readonly RawPath[],
  found: FoundFile | FoundFolder,
  { wanted, hasChildren }: { readonly wanted: Wanted; readonly hasChildren: boolean },
): AsyncGenerator<string> {
  const { modified } = found;
  const file = found.kind === 'file' ? found : undefined;
  let text = `<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">\n${responseOf({ parts, modified, file }, wanted)}`;
  if (found.kind === 'folder' && hasChildren)
    for await (const row of found.rows()) {
      if (row.kind === 'link') continue;
      text += responseOf({ parts: [...parts, row.name], modified: row.modified, file: row.file }, wanted);
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
  yield `${text}</D:multistatus>\n`;
}

function responseOf(resource: Resource, wanted: Wanted): string {
  const known = propertiesOf(resource);
  const href = urlPath(resource.parts, resource.file === undefined);
  const there = wanted.kind === 'named' ? wanted.names.filter((one) => valueOf(known, one) !== undefined) : undefined;
  const missing = wanted.kind === 'named' ? wanted.names.filter((one) => valueOf(known, one) === undefined) : [];
  const names = there?.map(({ name }) => name) ?? [...known.keys()];
  const values = names.map((name) => element(name, wanted.kind === 'names' ? '' : (known.get(name) ?? '')));
  const unknown = missing.map(({ space, name }) => `<${name} xmlns="${escaped(space)}"/>`);
  const states = [
    ...(values.length > 0 || missing.length === 0 ? [propstat(values, '200 OK')] : []),
    ...(missing.length > 0 ? [propstat(unknown, '404 Not Found')] : []),
  ];
  return `<D:response><D:href>${href}</D:href>${states.join('')}</D:response>\n`;
}

const valueOf = (known: ReadonlyMap<string, string>, { space, name }: PropertyName): string | undefined =>
  space === DAV ? known.get(name) : undefined;

const element = (name: string, value: string): string =>
  value === '' ? `<D:${name}/>` : `<D:${name}>${value}</D:${name}>`;

const propstat = (properties: readonly string[], status: string): string =>
  `<D:propstat><D:prop>${properties.join('')}</D:prop><D:status>HTTP/1.1 ${status}</D:status></D:propstat>`;

/** Properties of DAV: by name; values are XML. */
function propertiesOf({ parts, modified, file }: Resource): ReadonlyMap<string, string> {
  const name = parts.at(-1);
  return new Map([
    ['displayname', name === undefined ? '' : escaped(displayPath(name).replace(NOT_IN_XML, '\ufffd'))],
    ['resourcetype', file === undefined ? '<D:collection/>' : ''],
    ...(modified === undefined ? [] : [['getlastmodified', modified.toUTCString()] as const]),
    ...(file === undefined || name === undefined
      ? []
      : ([
          ['getcontentlength', String(file.sizeBytes)],
          ['getcontenttype', contentType(name)],
          ['getetag', escaped(file.etag)],
        ] as const)),
  ]);
}
