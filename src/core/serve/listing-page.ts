// A folder as a page for browsers, written as its rows come: it works for a million of them. Names are escaped, links are encoded bytes.
import { createHash } from 'node:crypto';
import { displayPath, type RawPath } from '../platform/paths/raw-path.js';
import type { FoundFolder, Row } from './served-tree.js';
import { encodedName, urlPath } from './url-path.js';

const CSS =
  ':root{color-scheme:light dark;--dim:light-dark(#666,#999);--line:light-dark(#ddd,#444)}' +
  'body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:1.5rem auto;padding:0 1rem}' +
  'h1{font-size:1.1rem;font-weight:600;overflow-wrap:anywhere}a{text-decoration:none}a:hover{text-decoration:underline}' +
  'table{width:100%;border-collapse:collapse;table-layout:fixed}th{text-align:left;font-weight:600}' +
  'th,td{padding:.2rem .5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere;vertical-align:top}' +
  '.s,.t{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}' +
  'col.s{width:8rem}col.t{width:12rem}td.t,.d,footer{color:var(--dim)}footer{margin-top:1rem;font-size:.9em}';

/** What a listing may load: its own style, and nothing else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(CSS).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** More rows are shown by name, as they come: to sort them all of them would have to be kept. */
const MOST_SORTED = 100_000;
/** Characters that are written at once. */
const PIECE = 1 << 15;

const KEYS = ['name', 'size', 'time'] as const;
type Key = (typeof KEYS)[number];

export interface Order {
  readonly by: Key;
  readonly isDescending: boolean;
}

/** The order that a query asks for. */
export function orderOf(query: URLSearchParams): Order {
  const by = KEYS.find((key) => key === query.get('sort')) ?? 'name';
  return { by, isDescending: query.get('order') === 'desc' };
}

export interface Page {
  /** Names from the top down. */
  readonly parts: readonly RawPath[];
  readonly folder: FoundFolder;
  readonly order: Order;
  /** What is served, as people know it. */
  readonly title: string;
}

/** Yields the page. @throws what its rows throw */
export async function* listingPage({ parts, folder, order, title }: Page): AsyncGenerator<string> {
  const sums = { folders: 0, files: 0, links: 0, bytes: 0 };
  let text = `${headOf(parts, title)}${tableHead(order)}`;
  const sorted = await inOrder(folder.rows(), order);
  if (parts.length > 0) text += '<tr><td><a href="../">..</a></td><td></td><td></td></tr>\n';
  for await (const row of sorted.rows) {
    if (row.kind === 'folder') sums.folders++;
    else if (row.kind === 'link') sums.links++;
    else [sums.files, sums.bytes] = [sums.files + 1, sums.bytes + (row.file?.sizeBytes ?? 0)];
    text += rowOf(row);
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  const notes = [sumText(sums), sorted.note, folder.note?.()].filter((one) => one !== undefined);
  yield `${text}</tbody></table>\n<footer>${notes.map((note) => `<p>${escaped(note)}</p>`).join('')}</footer></body></html>\n`;
}

function headOf(parts: readonly RawPath[], title: string): string {
  const crumbs = parts.map((part, at) => {
    const name = escaped(displayPath(part));
    return at === parts.length - 1 ? name : `<a href="${urlPath(parts.slice(0, at + 1), true)}">${name}</a>`;
  });
  const top = parts.length === 0 ? escaped(title) : `<a href="/">${escaped(title)}</a>`;
  const last = parts.at(-1);
  const name = escaped(last === undefined ? title : displayPath(last));
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${name}</title><style>${CSS}</style></head><body>\n<h1>${[top, ...crumbs].join(' / ')}</h1>\n`
  );
}

function tableHead({ by, isDescending }: Order): string {
  const cell = (key: Key, label: string, css: string): string => {
    const isThis = key === by;
    const next = isThis && !isDescending ? 'desc' : 'asc';
    const sign = isThis ? (isDescending ? ' ↓' : ' ↑') : '';
    return `<th class="${css}"><a href="?sort=${key}&amp;order=${next}">${label}${sign}</a></th>`;
  };
  const cells = `${cell('name', 'Name', 'n')}${cell('size', 'Size', 's')}${cell('time', 'Modified (UTC)', 't')}`;
  return `<table><colgroup><col><col class="s"><col class="t"></colgroup><thead><tr>${cells}</tr></thead><tbody>\n`;
}

function rowOf({ name, kind, modified, file, target }: Row): string {
  const shown = escaped(displayPath(name));
  const end = kind === 'folder' ? '/' : '';
  const label = kind === 'link' ? shown : `<a href="${encodedName(name)}${end}">${shown}${end}</a>`;
  const after = target === undefined ? '' : ` <span class="d">→ ${escaped(displayPath(target))}</span>`;
  const cold = file?.isCold === true ? ' <span class="d">(cold)</span>' : '';
  const size = file === undefined ? '' : `<span title="${file.sizeBytes} bytes">${sizeText(file.sizeBytes)}</span>`;
  const time = modified === undefined ? '' : modified.toISOString().slice(0, 19).replace('T', ' ');
  return `<tr><td>${label}${after}${cold}</td><td class="s">${size}</td><td class="t">${time}</td></tr>\n`;
}

interface Sorted {
  readonly rows: AsyncIterable<Row> | Iterable<Row>;
  readonly note: string | undefined;
}

/** Rows come in the order of their names. */
async function inOrder(rows: AsyncIterable<Row> | Iterable<Row>, { by, isDescending }: Order): Promise<Sorted> {
  if (by === 'name' && !isDescending) return { rows, note: undefined };
  const kept: Row[] = [];
  const iterator = iteratorOf(rows);
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    kept.push(next.value);
    if (kept.length <= MOST_SORTED) continue;
    const note = `more than ${MOST_SORTED.toLocaleString('en')} rows, so they are in the order of their names`;
    return { rows: joined(kept, iterator), note };
  }
  const value = ({ file, modified }: Row): number =>
    by === 'size' ? (file?.sizeBytes ?? -1) : (modified?.getTime() ?? -Infinity);
  const sorted = by === 'name' ? kept : kept.toSorted((a, b) => Math.sign(value(a) - value(b)) || 0);
  return { rows: isDescending ? sorted.toReversed() : sorted, note: undefined };
}

async function* iteratorOf(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<Row, void> {
  yield* rows;
}

async function* joined(first: readonly Row[], rest: AsyncGenerator<Row, void>): AsyncGenerator<Row> {
  yield* first;
  yield* rest;
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`;

function sumText({ folders, files, links, bytes }: Readonly<Record<'folders' | 'files' | 'links' | 'bytes', number>>) {
  const parts = [folders > 0 && counted(folders, 'folder'), files > 0 && counted(files, 'file')];
  const shown = [...parts, links > 0 && counted(links, 'symbolic link')].filter((one) => one !== false);
  if (shown.length === 0) return 'nothing here';
  return `${shown.join(', ')}${files > 0 ? `; ${sizeText(bytes)}` : ''}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML and XML. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
