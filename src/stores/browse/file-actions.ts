// The versions of one file: finding, opening and comparing them.
import { diffViews, type Difference, type DiffSide } from '../../core/dataset/diff.js';
import type { PathChange } from '../../core/dataset/history/path-history.js';
import { versionName } from '../../core/dataset/records/version-name.js';
import { octalMode } from '../../core/format/manifest/line-text.js';
import { errorText } from '../../core/platform/failures/errors.js';
import type { RawPath } from '../../core/platform/paths/raw-path.js';
import { lineDiff } from '../../core/platform/text/line-diff.js';
import type { BrowseTools, FileActions } from './actions.js';
import type { OpenedListing } from './browse-state.js';
import { beforeOf, changeOf, type FileComparison, type FileVersionsFound } from './file-versions.js';
import { rowAt } from './rows.js';
import { attempt, withOpened } from './version-actions.js';

/** Bytes and lines of each side that are compared. */
const MOST = { bytes: 64 * 1024, lines: 2000 };

/** The actions of the page of one file. */
export function fileActions(tools: BrowseTools): FileActions {
  const { get, set, notify, ports, signal, outage } = tools;
  let reading = new AbortController();
  const show = (path: RawPath, found: FileVersionsFound): void => {
    const { file } = get();
    if (file?.path === path) set({ file: { ...file, found } });
  };
  return {
    showVersions() {
      const { opened, position } = get();
      const row = rowAt(get(), position);
      if (typeof row !== 'number') return notify('go to a file: its versions are shown');
      if (opened.version === undefined) return notify('not opened as a version of a dataset: no others are known');
      const path = opened.listing.path(row);
      reading = new AbortController();
      const until = AbortSignal.any([signal, reading.signal]);
      set({
        page: 'versions',
        file: { path, found: { kind: 'reading' }, position: 0, comparison: undefined, line: 0 },
      });
      outage
        .during(() => ports.pathHistory(opened, path, until, outage.take))
        .then(({ changes, problems }) => show(path, { kind: 'known', changes: changes.toReversed(), problems }))
        .catch((error: unknown) => {
          if (!until.aborted) show(path, { kind: 'failed', reason: errorText(error) });
        });
    },
    leaveVersions() {
      const { file } = get();
      if (file?.comparison !== undefined) return set({ file: { ...file, comparison: undefined } });
      reading.abort();
      set({ page: 'files', file: undefined });
    },
    openFileVersion() {
      const { file, opened } = get();
      const change = file && changeOf(file);
      if (file === undefined || change === undefined) return;
      if (change.entry === undefined) return notify('this version does not have it: the one below does');
      if (change.last.uploadId === opened.uploadId) return set({ page: 'files', file: undefined });
      attempt(`opening ${versionName(change.last)}`, tools, async () => {
        const next = await open(change, tools);
        if (get().file !== file) return;
        set({ ...withOpened(get(), next), page: 'files', file: undefined });
        tools.arrange(get());
      });
    },
    compareFile() {
      const { file } = get();
      const [change, before] = file === undefined ? [] : [changeOf(file), beforeOf(file)];
      if (file === undefined || change === undefined) return;
      if (change.entry === undefined || before === undefined)
        return notify(
          change.entry === undefined ? 'it was deleted: there is nothing to compare' : 'nothing is before it',
        );
      attempt(`comparing ${versionName(before.last)} with ${versionName(change.record)}`, tools, async () => {
        const comparison = await compared(before, change, file.path, tools);
        const { file: now } = get();
        if (now?.path === file.path) set({ file: { ...now, comparison, line: 0 } });
      });
    },
  };
}

/** Opens the last version that has a file as it is in a change. */
async function open({ last, entry }: PathChange, { ports, outage, signal, get }: BrowseTools): Promise<OpenedListing> {
  return await outage.during(async () => {
    const next = await ports.openVersion(get().opened, last, signal, outage.take);
    if (next.lazy === undefined || entry === undefined) return next;
    await next.lazy.readPath(entry.path, { emit: outage.take });
    return { ...next, listing: next.lazy.listing };
  });
}

async function compared(
  before: PathChange,
  after: PathChange,
  path: RawPath,
  tools: BrowseTools,
): Promise<FileComparison> {
  const sides: { readonly opened: OpenedListing; readonly index: number }[] = [];
  for (const change of [before, after]) {
    const opened = await open(change, tools);
    const index = opened.listing.find(path);
    if (index === undefined) throw new Error(`${versionName(change.last)} does not list the file any more`);
    sides.push({ opened, index });
  }
  const [old, now] = sides as [Side, Side];
  const between = [versionName(before.last), versionName(after.record)] as const;
  const differs = await differencesOf(old, now);
  const facts = differs.map((difference) => factOf(difference, old, now));
  const content = differs.includes('content')
    ? await contentOf(old, now, tools)
    : ({ kind: 'none', reason: 'the content is the same' } as const);
  return { between, facts: facts.length === 0 ? ['nothing that is recorded differs'] : facts, content };
}

interface Side {
  readonly opened: OpenedListing;
  readonly index: number;
}

async function differencesOf(before: Side, after: Side): Promise<readonly Difference[]> {
  const sideOf = ({ opened: { listing }, index }: Side): DiffSide => ({
    chunks: listing.head.chunks,
    async *entries() {
      await Promise.resolve();
      yield [listing.entry(index)];
    },
  });
  const found: Difference[] = [];
  for await (const { changes } of diffViews(sideOf(before), sideOf(after)))
    for (const change of changes) if (change.kind === 'modified') found.push(...change.differs);
  return found;
}

function factOf(difference: Difference, before: Side, after: Side): string {
  const both = (text: (side: Side) => string): string => `${difference}: ${text(before)}, then ${text(after)}`;
  switch (difference) {
    case 'type':
      return both(({ opened, index }) => opened.listing.type(index));
    case 'content':
      return both(({ opened, index }) => `${opened.listing.sizeBytes(index).toLocaleString('en')} bytes`);
    case 'mode':
      return both(({ opened, index }) => octalMode(opened.listing.mode(index)));
    case 'owner':
      return both(({ opened, index }) => `${opened.listing.uid(index)}:${opened.listing.gid(index)}`);
    case 'mtime':
      return both(({ opened, index }) => timeOf(opened.listing.mtime(index).seconds));
    case 'stage':
      return both(({ opened, index }) => opened.listing.stage(index) ?? 'none');
    case 'xattrs':
      return 'extended attributes differ';
    default:
      return difference satisfies never;
  }
}

function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? `${seconds} s` : `${time.toISOString().slice(0, 19)}Z`;
}

async function contentOf(
  before: Side,
  after: Side,
  { ports, signal, outage }: BrowseTools,
): Promise<FileComparison['content']> {
  const texts: (readonly string[])[] = [];
  for (const { opened, index } of [before, after]) {
    if (opened.listing.sizeBytes(index) === 0) texts.push([]);
    else if (opened.listing.sizeBytes(index) > MOST.bytes)
      return { kind: 'none', reason: 'lines are compared of files of up to 64 KiB' };
    else {
      const found = await outage.during(() => ports.preview(opened, index, signal, MOST));
      if (found.kind === 'none') return { kind: 'none', reason: `no lines to compare: ${found.reason}` };
      if (found.isCut) return { kind: 'none', reason: 'it has more lines than are compared' };
      texts.push(found.lines);
    }
  }
  const [old = '', now = ''] = texts.map((lines) => lines.map((line) => `${line}\n`).join(''));
  const lines = lineDiff(old, now);
  return lines.length > 0
    ? { kind: 'lines', lines }
    : { kind: 'none', reason: 'what differs is in the ends of lines, or beyond what is kept of long ones' };
}
