import { Text } from 'ink';
import { type ReactNode, useMemo } from 'react';
import { describe, expect, it, test } from 'vitest';
import { Bar } from '../../src/ui/bar.js';
import type { Column } from '../../src/ui/columns.js';
import { Confirm } from '../../src/ui/confirm.js';
import { Empty } from '../../src/ui/empty.js';
import { Facts } from '../../src/ui/facts.js';
import { FitText, MatchText } from '../../src/ui/fit-text.js';
import { Gauge } from '../../src/ui/gauge.js';
import { HelpOverlay } from '../../src/ui/help-overlay.js';
import { KeyLine } from '../../src/ui/key-line.js';
import { emptyLine, insertText } from '../../src/ui/line-editor.js';
import { Line, Rule } from '../../src/ui/line.js';
import { Picker } from '../../src/ui/picker.js';
import { Screen } from '../../src/ui/screen.js';
import { Sparkline } from '../../src/ui/sparkline.js';
import { Spinner } from '../../src/ui/spinner.js';
import { Status, Toast } from '../../src/ui/status.js';
import { Table } from '../../src/ui/table.js';
import { Tabs } from '../../src/ui/tabs.js';
import { TextField } from '../../src/ui/text-field.js';
import { widthOf } from '../../src/ui/text.js';
import { Tint, type Tone } from '../../src/ui/theme.js';
import type { Binding } from '../../src/ui/use-keys.js';
import { draw, paint } from '../support/in-kit.js';

const WIDTHS = [60, 80, 120, 200];
const typed = (text: string) => insertText(emptyLine, text);
const HOSTILE = [
  'README.md',
  '観測データの可視化と要約.ipynb',
  'evil\u001b[2J\u001b]0;title\u0007\nname',
  'gpj.\u202eexe\u0085\u2028',
  '\u200b\u0301',
  '👨‍👩‍👧 family '.repeat(20),
  'a/very/long/path/to/something/deep/inside/a/folder/of/folders/that/never/ends/metrics-final.json',
];
const widest = (frame: string): number => Math.max(...frame.split('\n').map(widthOf));
const binding = (key: string, hint: string, priority = 1, group = 'Keys'): Binding => ({
  keys: [key],
  hint,
  priority,
  help: `${hint} it`,
  group,
  run: () => undefined,
});
const BINDINGS = [
  binding('space', 'mark'),
  binding('enter', 'restore'),
  binding('/', 'find'),
  binding('s', 'sort'),
  binding('D', 'only what changed'),
  binding('?', 'help', 0, 'Leave'),
  binding('q', 'quit', 0, 'Leave'),
];
const COLUMNS: readonly Column[] = [
  { title: 'NAME', weight: 1, min: 20, priority: 0, cut: 'middle', cell: (at) => HOSTILE[at] ?? '' },
  { title: 'SIZE', width: 8, align: 'right', priority: 0, cell: (at) => `${at} KiB` },
  {
    title: 'DONE',
    weight: 1,
    min: 10,
    max: 30,
    priority: 2,
    cell: (at, width) => <Gauge share={at / 6} width={width} />,
  },
  { title: 'STAGE', width: 60, priority: 9, tone: 'dim', cell: () => 'train' },
];

/** Each component with the worst that may be given to it. */
const ALL: Readonly<Record<string, ReactNode>> = {
  Bar: <Bar share={0.4} width={40} hasTrack />,
  Gauge: <Gauge share={1.07} width={50} />,
  Sparkline: <Sparkline values={[0, 1, 4, 2]} width={20} note="highest 4 MiB/s" />,
  Facts: <Facts facts={HOSTILE.map((value, at) => ({ label: `label ${at}`, value }))} />,
  Line: <Line left={<FitText text={HOSTILE[1] ?? ''} width={40} />} right={<Tint tone="dim">right end</Tint>} />,
  Rule: <Rule />,
  Status: <Status message={{ tone: 'warn', text: 'x'.repeat(300) }} right="7 of 13 290" />,
  Spinner: <Spinner label="reading the manifest" />,
  Tabs: <Tabs tabs={['Overview', 'Costs', 'Uploads', 'Inventory', 'Fleet'].map((name) => ({ name }))} active={2} />,
  KeyLine: <KeyLine bindings={BINDINGS} />,
  HelpOverlay: <HelpOverlay bindings={BINDINGS} title="Keys" />,
  Empty: <Empty sentence="Nothing is archived here." next="archiver create upload data s3://bucket" />,
  Confirm: (
    <Confirm question="Restore 4 files?">
      <Line left="Cost" right="$0.12" />
    </Confirm>
  ),
  Picker: <Picker count={7} chosen={2} columns={COLUMNS} />,
  Table: <Table count={7} cursor={2} columns={COLUMNS} height={8} />,
  TextField: <TextField line={typed('観測データ '.repeat(40))} width={50} />,
  MatchText: <MatchText text={HOSTILE.at(-1) ?? ''} query="METRICS" width={40} />,
  Screen: (
    <Screen
      title="archiver"
      where={'s3://'.repeat(60)}
      context="v12"
      status={<Status message={{ text: 'ok' }} />}
      bindings={BINDINGS}
    >
      <Table count={7} cursor={1} columns={COLUMNS} />
    </Screen>
  ),
};

describe.each(Object.entries(ALL))('%s', (_name, node) => {
  it.each(WIDTHS)('stays within %i columns', (columns) => {
    const frame = draw(node, { columns });

    expect(widest(frame)).toBeLessThanOrEqual(columns);
    expect(frame.split('\n').length).toBeLessThan(24);
    expect(frame.trim()).not.toBe('');
    // oxlint-disable-next-line no-control-regex
    expect(frame).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]/);
  });

  it('needs no colours', () => {
    // oxlint-disable-next-line no-control-regex
    const codes = paint(node, { color: false }).match(/\u001b\[[\d;]*m/g) ?? [];

    // Inverse is no colour: the cursor has no other sign in a text field.
    for (const code of codes) expect(['\u001b[7m', '\u001b[27m']).toContain(code);
  });

  it('draws no sign beyond ASCII where the terminal has none', () => {
    const own = /[▸▾━╸─▁▂▃▄▅▆▇█│…·✓▲✗●⠋⠙↑↓←→]/u;

    expect(draw(node, { unicode: false })).not.toMatch(own);
  });
});

test('every tone uses the 16 foreground colours, weight or inverse, and no background', () => {
  const tones: readonly Tone[] = ['plain', 'strong', 'dim', 'accent', 'good', 'warn', 'bad', 'match', 'tab', 'cursor'];
  const codes = tones.flatMap((tone) => paint(<Tint tone={tone}>x</Tint>).match(/\d+(?=m)/g) ?? []);

  for (const code of codes)
    expect(['1', '2', '4', '7', '22', '24', '27', '31', '32', '33', '36', '39']).toContain(code);
});

test.each(WIDTHS)('a table of %i columns lines up whatever the names are', (columns) => {
  const rows = draw(<Table count={HOSTILE.length} cursor={1} columns={COLUMNS} height={8} />, { columns }).split('\n');

  const ends = rows.slice(1).map((row) => widthOf(row.slice(0, row.indexOf(' KiB') + 4)));
  expect(new Set(ends).size).toBe(1);
  expect(rows[0]?.includes('STAGE')).toBe(columns >= 120);
  expect(rows[2]?.startsWith('▸')).toBe(true);
  expect(rows).toHaveLength(8);
});

test('a table asks for the rows one sees, of a million', () => {
  const asked = new Set<number>();
  function Million() {
    const columns = useMemo<readonly Column[]>(() => [{ weight: 1, cell: (at) => (asked.add(at), `row ${at}`) }], []);
    return <Table count={1_000_000} cursor={500_000} columns={columns} height={10} />;
  }

  expect(draw(<Million />)).toContain('▸row 500000');
  expect(asked.size).toBeLessThanOrEqual(10);
});

test('the row under the cursor is inverse as a whole, without patches of colour', () => {
  const columns: readonly Column[] = [{ width: 6, tone: 'bad', cell: () => 'failed' }];

  expect(paint(<Table count={1} cursor={0} columns={columns} height={1} />, { columns: 20 })).toBe(
    '\u001b[7m▸failed \u001b[27m',
  );
});

test('a gauge says its number and turns yellow, then red', () => {
  expect(draw(<Gauge share={0.82} width={15} />)).toBe('━━━━━━━━──  82%');
  expect(draw(<Gauge share={1.06} width={15} />)).toBe('━━━━━━━━━━ 106%');
  expect(draw(<Gauge share={40} width={15} />)).toBe('━━━━━━━━━━  40x');
  expect(draw(<Gauge share={0.5} width={15} />, { unicode: false })).toBe('#####.....  50%');
  const colour = (share: number) => /\d+(?=m)/.exec(paint(<Gauge share={share} width={3} />))?.[0];
  expect([0.79, 0.8, 0.999, 1].map(colour)).toEqual(['36', '33', '33', '31']);
});

test('a bar is as wide as asked at every share, and full only when all is done', () => {
  for (let share = -0.1; share < 1.2; share += 0.03)
    for (const unicode of [true, false])
      expect(widthOf(draw(<Bar share={share} width={9} hasTrack />, { unicode }))).toBe(9);
  expect(draw(<Bar share={0.999} width={9} hasTrack />)).toBe(`${'━'.repeat(8)}╸`);
  expect(draw(<Bar share={1} width={9} hasTrack />)).toBe('━'.repeat(9));
  expect(draw(<Bar share={Number.NaN} width={3} hasTrack />)).toBe('───');
  expect(draw(<Bar share={7} width={4} hasTrack />)).toBe('━━━━');
  expect(draw(<Bar share={0.5} width={-1} hasTrack />)).toBe('');
});

test.each([
  [60, ' space mark  enter restore  / find  s sort  ? help  q quit'],
  [32, ' space mark  ? help  q quit'],
  [16, ' ? help  q quit'],
])('the key line in %i columns is cut from the right', (columns, expected) => {
  expect(draw(<KeyLine bindings={BINDINGS} />, { columns })).toBe(expected);
});

test('the help names every key once, by the group it belongs to', () => {
  const frame = draw(<HelpOverlay bindings={BINDINGS} title="Keys in browse" />);

  for (const { help } of BINDINGS) expect(frame.split(help)).toHaveLength(2);
  expect(frame).toContain('KEYS');
  expect(frame).toContain('LEAVE');
});

test.each([
  [emptyLine, 'part of'],
  [typed('model'), 'model'],
  [typed('観測データの可視化'), 'の可視化'],
  [{ text: 'a very long query here', cursor: 0 }, 'a very lon'],
  [{ text: 'zero\u200bwidth', cursor: 4 }, 'zero?width'],
])('a text field shows the part around the cursor: %j', (line, expected) => {
  expect(draw(<TextField line={line} width={10} placeholder="part of" />)).toBe(expected);
});

test('facts, picker and status in ASCII', () => {
  const facts = [
    { label: 'size', value: '1.8 GiB' },
    { label: 'modified', value: 'today' },
  ];
  const tiers: readonly Column[] = [{ title: 'TIER', width: 9, cell: (at) => ['standard', 'bulk'][at] ?? '' }];

  expect(draw(<Facts facts={facts} />)).toBe(' size      1.8 GiB\n modified  today');
  expect(draw(<Picker count={2} chosen={1} columns={tiers} />, { unicode: false })).toBe(
    '    TIER\n    standard\n  > bulk',
  );
  expect(
    draw(<Status message={{ tone: 'warn', text: 'stale' }} right="7 of 9" />, { columns: 20, unicode: false }),
  ).toBe(' ! stale     7 of 9');
});

test('a sparkline is one row and names its highest value', () => {
  expect(draw(<Sparkline values={[0, 1, 2, 4]} width={10} note="highest 4" />)).toBe('▁▃▅█  highest 4');
  expect(draw(<Sparkline values={[0, 0]} width={10} note="none" />)).toBe('▁▁  none');
});

test('tabs shrink to their digit before they wrap', () => {
  const tabs = ['Overview', 'Costs', 'Uploads', 'Inventory', 'Analyze', 'Fleet'].map((name) => ({ name }));

  expect(draw(<Tabs tabs={tabs} active={0} />)).toBe(
    ' [1 Overview]  2 Costs   3 Uploads   4 Inventory   5 Analyze   6 Fleet',
  );
  for (const columns of [60, 62, 66, 70]) {
    const frame = draw(<Tabs tabs={tabs} active={5} />, { columns });
    expect(frame).toContain('[6 Fleet]');
    expect(frame.split('\n').length).toBe(1);
  }
});

test('a toast takes the place of the status', () => {
  const node = (text?: string) => (
    <Toast message={text === undefined ? undefined : { text }} onExpire={() => undefined}>
      <Text>status</Text>
    </Toast>
  );

  expect(draw(node())).toBe('status');
  expect(draw(node('nothing is marked'))).toBe(' nothing is marked');
});
