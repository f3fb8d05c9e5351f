import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { TransferStore } from '../../stores/transfer-store.js';
import { Screen } from '../../ui/screen.js';
import { Room, useSize } from '../../ui/size.js';
import { type Binding, useKeys } from '../../ui/use-keys.js';
import { OperationFrame } from '../progress/operation-frame.js';
import { useNames } from '../use-names.js';

export interface LoadingScreenProps {
  readonly url: string;
  /** Progress of reading the manifest. */
  readonly transfer: TransferStore;
  readonly onQuit: () => void;
}

const FRAME_ROWS = 8;

/** Shown while the manifest is read: the progress of that. */
export function LoadingScreen({ url, transfer, onQuit }: LoadingScreenProps): ReactElement {
  const names = useNames();
  const { columns } = useSize();
  const keys: readonly Binding[] = [
    { keys: ['q', 'ctrl+c'], help: 'quit', hint: 'quit', group: 'leave', priority: 0, run: onQuit },
  ];
  useKeys(() => keys);
  return (
    <Screen title="archiver browse" where={names(url)} context="" status={<></>} bindings={keys}>
      <Box paddingX={1} paddingTop={1}>
        <Room columns={columns - 2} rows={FRAME_ROWS}>
          <OperationFrame store={transfer} />
        </Room>
      </Box>
    </Screen>
  );
}
