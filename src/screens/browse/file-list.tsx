import { type ReactElement, useMemo } from 'react';
import type { BrowseState } from '../../stores/browse/browse-state.js';
import { rowAt, rowCount } from '../../stores/browse/rows.js';
import type { TreeRow } from '../../stores/browse/tree.js';
import { Empty } from '../../ui/empty.js';
import { useSize } from '../../ui/size.js';
import { Table } from '../../ui/table.js';
import { useTheme } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { useBrowse } from './browse-context.js';
import { fileColumns } from './file-columns.js';
import { nameColumn } from './file-name.js';

/** All files, or the folder tree. */
export function FileList(): ReactElement {
  const opened = useBrowse((state) => state.opened);
  const facts = useBrowse((state) => state.facts);
  const tree = useBrowse((state) => state.tree);
  const listed = useBrowse((state) => state.listed);
  const position = useBrowse((state) => state.position);
  const query = useBrowse((state) => state.filter.text);
  const sort = useBrowse((state) => state.sort);
  const marks = useBrowse((state) => state.marks);
  const markings = useBrowse((state) => state.markings);
  const changes = useBrowse((state) => state.changes);
  const share = useBrowse((state) => state.share);
  const count = useBrowse(rowCount);
  const { ellipsis } = useTheme().glyphs;
  const names = useNames();
  const { columns: width } = useSize();

  const columns = useMemo(() => {
    const source = { listing: opened.listing, facts, isTree: tree !== undefined, names };
    const row = (at: number): TreeRow | undefined => rowAt({ tree, listed }, at);
    return [
      nameColumn({ ...source, marks, markings, changes, query }, row),
      ...fileColumns({ ...source, sort, width, row, unknown: ellipsis, share }),
    ];
  }, [opened, facts, tree, listed, query, sort, marks, markings, changes, names, width, ellipsis, share]);

  if (count === 0) return <NothingToShow />;
  return <Table count={count} cursor={position} columns={columns} />;
}

function NothingToShow(): ReactElement {
  const isSearching = useBrowse((state: BrowseState) => state.isSearching);
  const isEmpty = useBrowse((state: BrowseState) => state.files.length === 0);
  const isReading = useBrowse((state: BrowseState) => state.opened.lazy !== undefined);
  if (isReading) return <Empty sentence="reading" next="" />;
  if (isSearching) return <Empty sentence="searching" next="" />;
  if (isEmpty) return <Empty sentence="this upload has no files" next="q leaves." />;
  return <Empty sentence="no file matches" next="esc clears the search, d and g show other stages and commits." />;
}
