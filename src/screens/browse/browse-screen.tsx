// Wiring: which component is on the screen in which state.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { BrowseState } from '../../stores/browse/browse-state.js';
import type { BrowseStore } from '../../stores/browse/browse-store.js';
import { HelpOverlay } from '../../ui/help-overlay.js';
import { bodyRows, Screen } from '../../ui/screen.js';
import { Room, useSize, WIDE_COLUMNS } from '../../ui/size.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { useKeys } from '../../ui/use-keys.js';
import { useNames } from '../use-names.js';
import { FilterBar, StatusBar } from './bars.js';
import { BrowseContext, useBrowse, useBrowseStore } from './browse-context.js';
import { browseKeys, type KeySize, listKeys } from './browse-keys.js';
import { ChangeList } from './change-list.js';
import { ConfirmPanel } from './confirm-panel.js';
import { Details } from './details.js';
import { FileList } from './file-list.js';
import { DonePanel, ProgressPanel } from './restore-panel.js';
import { VersionList } from './version-list.js';
import { versionName } from '../../core/dataset/records/version-name.js';

const LIST_SHARE = 0.6;

/** The browser over its store. */
export function BrowseScreen({ store }: { readonly store: BrowseStore }): ReactElement {
  return (
    <BrowseContext value={store}>
      <BrowseFrame />
    </BrowseContext>
  );
}

function BrowseFrame(): ReactElement {
  const store = useBrowseStore();
  const names = useNames();
  const { columns, rows } = useSize();
  const size: KeySize = { page: Math.max(1, bodyRows(rows) - 1), isSplit: columns >= WIDE_COLUMNS };
  useKeys(() => {
    store.getState().do.notify(undefined);
    return browseKeys(store.getState(), size);
  });
  useBrowse(keysDependOn);
  const baseUrl = useBrowse((state) => state.opened.baseUrl);
  const context = useBrowse((state) => contextText(state, size.isSplit));
  const kind = useBrowse((state) => state.mode.kind);
  return (
    <Screen
      title="archiver browse"
      where={names(baseUrl)}
      context={names(context)}
      bar={<FilterBar />}
      status={<StatusBar />}
      bindings={browseKeys(store.getState(), size)}
    >
      <Body kind={kind} size={size} />
    </Screen>
  );
}

/** The state that the list of keys depends on, so that the key line is updated with it. */
const keysDependOn = ({ mode, page, tree, tier, file }: BrowseState): string =>
  [mode.kind, page, tree === undefined, tier, file?.comparison === undefined].join();

/** The upload or version; IDs are never cut. */
function contextText({ opened: { version, uploadId }, page, changes }: BrowseState, isWide: boolean): string {
  if (version === undefined) return `upload ${uploadId}`;
  const before = changes?.since?.version;
  const since = page === 'changes' ? `, since ${before === undefined ? 'v?' : versionName(before)}` : '';
  const dataset = `dataset ${version.datasetId} ${versionName(version)}${version.isHead ? ' (HEAD)' : ''}${since}`;
  return isWide ? `upload ${uploadId}, ${dataset}` : dataset;
}

function Body({ kind, size }: { readonly kind: BrowseState['mode']['kind']; readonly size: KeySize }): ReactElement {
  const store = useBrowseStore();
  switch (kind) {
    case 'list':
    case 'search':
      return size.isSplit ? <Split /> : <Listed />;
    case 'details':
      return size.isSplit ? <Split /> : <Details />;
    case 'help':
      return <HelpOverlay title="Keys in browse" bindings={listKeys(store.getState(), size)} />;
    case 'confirm':
      return <ConfirmPanel />;
    case 'progress':
      return <ProgressPanel />;
    case 'done':
      return <DonePanel />;
    default:
      return kind satisfies never;
  }
}

function Listed(): ReactElement {
  const page = useBrowse((state) => state.page);
  if (page === 'versions') return <VersionList />;
  return page === 'changes' ? <ChangeList /> : <FileList />;
}

function Split(): ReactElement {
  const { columns, rows } = useSize();
  const { divider } = useTheme().glyphs;
  const left = Math.round(columns * LIST_SHARE);
  return (
    <Box>
      <Room columns={left} rows={rows}>
        <Listed />
      </Room>
      <Box width={1} flexShrink={0}>
        <Tint tone="dim" wrap="wrap">
          {Array(rows).fill(divider).join('\n')}
        </Tint>
      </Box>
      <Room columns={columns - left - 1} rows={rows}>
        <Details />
      </Room>
    </Box>
  );
}
