// Details of the item under the cursor. Anything that has to be read is requested once the cursor rests, and cancelled when it moves on.
import { Box } from 'ink';
import { type ReactElement, useEffect, useMemo } from 'react';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import { type BrowseState, changeAtCursor, type OpenedListing } from '../../stores/browse/browse-state.js';
import { rowAt } from '../../stores/browse/rows.js';
import type { FolderRow } from '../../stores/browse/tree.js';
import { Facts } from '../../ui/facts.js';
import { useSize } from '../../ui/size.js';
import { Tint } from '../../ui/theme.js';
import { wrapped } from '../../ui/wrapped.js';
import { useNames } from '../use-names.js';
import { useActions, useBrowse } from './browse-context.js';
import { fileFacts, folderFacts } from './detail-facts.js';
import { FirstLines } from './first-lines.js';
import { LargestBelow } from './largest-below.js';

const REST_MS = 200;

/** The details of the row under the cursor, or of the change. */
export function Details(): ReactElement | null {
  const page = useBrowse((state) => state.page);
  const opened = useBrowse((state) => state.opened);
  const row = useBrowse(rowAtCursor);
  const since = useBrowse((state) => state.changes?.since);
  const change = useBrowse(changeAtCursor);
  if (page === 'changes') {
    if (change === undefined) return null;
    if (change.after !== undefined) return <FileDetails opened={opened} index={change.after} />;
    return since === undefined ? null : <FileDetails opened={since} index={change.before ?? 0} />;
  }
  if (typeof row === 'number') return <FileDetails opened={opened} index={row} />;
  return row === undefined ? null : <FolderDetails folder={row} />;
}

const rowAtCursor = (state: BrowseState): number | FolderRow | undefined => rowAt(state, state.position);

function FileDetails({ opened, index }: { readonly opened: OpenedListing; readonly index: number }): ReactElement {
  const { columns, rows } = useSize();
  const { readAbout } = useActions();
  const names = useNames();
  const about = useBrowse((state) =>
    state.about?.opened === opened && state.about.index === index ? state.about : undefined,
  );
  useEffect(() => {
    const timer = setTimeout(() => readAbout({ opened, index }), REST_MS);
    return () => {
      clearTimeout(timer);
      readAbout(undefined);
    };
  }, [opened, index, readAbout]);
  const path = wrapped(names(displayPath(opened.listing.path(index))), columns - 2);
  const facts = useMemo(
    () => fileFacts(opened, index, { history: about?.history, names }),
    [opened, index, about, names],
  );
  const room = rows - path.length - facts.length - 2;
  return (
    <Box flexDirection="column">
      <Path lines={path} />
      <Gap />
      <Facts facts={facts} />
      {room > 2 && <FirstLines preview={about?.preview} rows={room} />}
    </Box>
  );
}

function FolderDetails({ folder }: { readonly folder: FolderRow }): ReactElement {
  const { columns, rows } = useSize();
  const opened = useBrowse((state) => state.opened);
  const source = useBrowse((state) => state.facts);
  const names = useNames();
  const path = wrapped(names(`${displayPath(folder.path)}/`), columns - 2);
  const facts = useMemo(() => folderFacts(opened, folder, source), [opened, folder, source]);
  const room = rows - path.length - facts.length - 2;
  return (
    <Box flexDirection="column">
      <Path lines={path} />
      <Gap />
      <Facts facts={facts} />
      {room > 2 && <LargestBelow folder={folder} rows={room} />}
    </Box>
  );
}

const Gap = (): ReactElement => <Tint> </Tint>;

/** A path is never cut here: it takes as many rows as it needs. */
const Path = ({ lines }: { readonly lines: readonly string[] }): ReactElement => (
  <Box flexDirection="column" paddingLeft={1} flexShrink={0}>
    {lines.map((line, at) => (
      <Tint key={at} tone="strong">
        {line}
      </Tint>
    ))}
  </Box>
);
