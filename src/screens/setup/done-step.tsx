// The last step: what to type next, and what the store can do.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { SetupState } from '../../stores/setup/setup-state.js';
import { Line } from '../../ui/line.js';
import type { Sign } from '../../ui/sign.js';
import { type SignedLine, signedLines } from '../../ui/signed-rows.js';
import { useSize } from '../../ui/size.js';
import { cut } from '../../ui/text.js';
import { Tint, type Tone, useTheme } from '../../ui/theme.js';
import { capabilityRows } from '../access/capability-rows.js';
import { useNames } from '../use-names.js';
import { Asked, LOW_ROWS } from './asked.js';

/** Rows of the question and its explanation. */
const HEAD_ROWS = 2;
/** Width of a sign with a space after it, and of one empty column on both sides. */
const MARGIN = 4;

export function DoneStep({ state: { commands, capabilities, row } }: { readonly state: SetupState }): ReactElement {
  const { rows, columns } = useSize();
  const { glyphs } = useTheme();
  const names = useNames();
  const gap = rows > LOW_ROWS ? 1 : 0;
  const room = Math.max(1, rows - HEAD_ROWS - commands.length - 2 * gap);
  const lines = signedLines(capabilityRows(capabilities, names), columns - MARGIN);
  const heads = lines.flatMap(({ sign }, at) => (sign === undefined ? [] : [at]));
  const first = Math.min(heads[row] ?? 0, Math.max(0, lines.length - room));
  return (
    <Asked question="Ready. What to type next:" why="printed once more when this screen is gone">
      <Box flexDirection="column">
        {commands.map((command) => (
          <Line
            key={command}
            left={<Tint tone="accent">{cut(`  ${names(command)}`, columns - 2, 'end', glyphs.ellipsis)}</Tint>}
          />
        ))}
      </Box>
      <Box flexDirection="column">
        {lines.slice(first, first + room).map((line, at) => (
          <CapabilityLine key={first + at} line={line} />
        ))}
      </Box>
    </Asked>
  );
}

const TONES: Readonly<Record<Sign, Tone>> = { good: 'good', warn: 'warn', bad: 'bad', none: 'dim' };

function CapabilityLine({ line: { sign, label, text } }: { readonly line: SignedLine }): ReactElement {
  const { glyphs } = useTheme();
  return (
    <Line
      left={
        <>
          <Tint tone={sign === undefined ? 'plain' : TONES[sign]}>{`${sign === undefined ? ' ' : glyphs[sign]} `}</Tint>
          {`${label}${text}`}
        </>
      }
    />
  );
}
