import { renderToString } from 'ink';
import type { TransferSnapshot } from '../../../src/stores/transfer-snapshot.js';
import { createKeySource } from '../../../src/ui/keys.js';
import { Kit } from '../../../src/ui/kit.js';
import type { Look } from '../../../src/ui/look.js';
import { fixedSize, type Size } from '../../../src/ui/size.js';
import { ProgressFrame } from '../../../src/screens/progress/progress-frame.js';

/** The frame as it is drawn once, one string a row. */
export function frameText(snapshot: TransferSnapshot, { columns, rows }: Size, look: Look): string[] {
  const frame = (
    <Kit keys={createKeySource()} size={fixedSize(columns, rows)} look={look}>
      <ProgressFrame snapshot={snapshot} />
    </Kit>
  );
  return renderToString(frame, { columns }).split('\n');
}
