import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { LoadProgress } from '../../core/listing/load-listing.js';
import { Bar } from '../../ui/bar.js';
import { Facts } from '../../ui/facts.js';
import { formatBytes, formatCount, formatPercent } from '../../ui/format.js';
import { Screen } from '../../ui/screen.js';
import { useSize } from '../../ui/size.js';
import { Spinner } from '../../ui/spinner.js';
import { Tint } from '../../ui/theme.js';
import { type Binding, useKeys } from '../../ui/use-keys.js';
import { useNames } from './browse-context.js';

export interface LoadingScreenProps {
  readonly url: string;
  /** Undefined until the first piece has come. */
  readonly progress: LoadProgress | undefined;
  readonly onQuit: () => void;
}

const WIDEST_BAR = 60;

/** Until the manifest is read: how much of it has come. */
export function LoadingScreen({ url, progress, onQuit }: LoadingScreenProps): ReactElement {
  const names = useNames();
  const keys: readonly Binding[] = [
    { keys: ['q', 'ctrl+c'], help: 'quit', hint: 'quit', group: 'leave', priority: 0, run: onQuit },
  ];
  useKeys(() => keys);
  return (
    <Screen title="archiver browse" where={names(url)} context="" status={<></>} bindings={keys}>
      <Box flexDirection="column" paddingLeft={1} paddingTop={1} rowGap={1}>
        <Spinner label="reading the manifest" />
        {progress !== undefined && <Read progress={progress} />}
      </Box>
    </Screen>
  );
}

function Read({ progress }: { readonly progress: LoadProgress }): ReactElement {
  const { columns } = useSize();
  const { storedBytes, ofStoredBytes, entries, ofEntries } = progress;
  const share = storedBytes / Math.max(1, ofStoredBytes);
  // Its head comes first: until then nobody knows how many entries it has.
  const of = ofEntries === 0 ? '' : ` of ${formatCount(ofEntries)}`;
  return (
    <>
      <Tint>
        <Bar share={share} width={Math.min(WIDEST_BAR, columns - 10)} hasTrack />
        {` ${formatPercent(share)}`}
      </Tint>
      <Facts
        indent={0}
        facts={[
          { label: 'bytes', value: `${formatBytes(storedBytes)} of ${formatBytes(ofStoredBytes)}` },
          { label: 'entries', value: `${formatCount(entries)}${of}` },
        ]}
      />
    </>
  );
}
