import { renderToString } from 'ink';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { createKeySource } from '../../ui/keys.js';
import { Kit } from '../../ui/kit.js';
import type { Look } from '../../ui/look.js';
import { fixedSize, type Size } from '../../ui/size.js';
import { ProgressFrame } from './progress-frame.js';

/** The frame as it is drawn once, one string a row. */
export function frameText(snapshot: TransferSnapshot, { columns, rows }: Size, look: Look): string[] {
  const frame = (
    <Kit keys={createKeySource()} size={fixedSize(columns, rows)} look={look}>
      <ProgressFrame snapshot={snapshot} />
    </Kit>
  );
  return renderToString(frame, { columns }).split('\n');
}
