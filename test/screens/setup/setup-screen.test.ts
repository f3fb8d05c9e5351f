import { describe, expect, test } from 'vitest';
import { widthOf } from '../../../src/ui/text.js';
import { openSetup, type Wizard } from './open-setup.js';

const DOWN = '\u001b[B';
const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 50],
] as const;

/** Every step of an S3-compatible store with new keys, with the frames of all sizes at each. */
async function walk(wizard: Wizard, look: (step: string) => void): Promise<void> {
  const { state, press } = wizard;
  look(state().step);
  for (const keys of [
    `${DOWN}${DOWN}\r`,
    'http://127.0.0.1:9000\r',
    `${DOWN.repeat(4)}\r`,
    '\rKEY\rSECRET',
    '\r',
    'lab/runs\r\r',
    '\r',
    '\r',
    '\r',
    '\r',
  ]) {
    await press(keys);
    look(state().step);
  }
}

describe('every step', () => {
  test.each(SIZES)('fits %i x %i, and says where it is and which keys there are', async (columns, rows) => {
    const wizard = openSetup();
    const seen: string[] = [];

    await walk(wizard, (step) => {
      const frame = wizard.frame(columns, rows);
      seen.push(step);
      expect(frame).toHaveLength(rows - 1);
      expect(frame.every((line) => widthOf(line) <= columns)).toBe(true);
      expect(frame[0]).toMatch(/^ archiver setup .*step \d+ of \d+$/);
      expect(frame[1]).toContain('[');
      expect(frame.at(-1)).toMatch(step === 'done' ? /enter finish/ : /(?:q|ctrl\+c) quit/);
      expect(frame.slice(3, -3).join('').trim()).not.toBe('');
      expect(frame.join('\n')).not.toContain('SECRET');
    });

    expect(seen).toEqual('kind server credentials keys keys place check parameters test review done'.split(' '));
  });

  test('in ASCII alone, where only that works', async () => {
    const wizard = openSetup();

    await walk(wizard, () => {
      // oxlint-disable-next-line no-control-regex
      expect(wizard.frame(80, 24, { unicode: false }).join('\n')).toMatch(/^[\x00-\x7f]*$/);
    });
  });
});

describe('what is shown', () => {
  test('profiles with where their credentials come from, control characters escaped', async () => {
    const { press, frame } = openSetup({ kind: 'aws' });

    await press('\r');

    expect(frame(80, 24).join('\n')).toContain(String.raw`profile lab\x1b[31m  single sign-on (aws sso login)`);
  });

  test('the IAM action that is missing, and no way on without PutObject', async () => {
    const { press, frame, state } = openSetup({
      ports: {
        check: (_, tell) => {
          tell({ tone: 'bad', text: 'put: access denied', action: 's3:PutObject' });
          return Promise.resolve({ usability: 'none', capabilities: [], region: undefined });
        },
      },
    });

    await press('\r\r');
    await press('\r');

    expect(state().step).toBe('check');
    expect(frame(80, 24).join('\n')).toMatch(/✗ put: access denied\n +missing: s3:PutObject/);
    expect(frame(80, 24).at(-1)).toBe(' esc back  r again  ? help  q quit');
  });

  test('a check whose lines are more than there is room for: the last ones', async () => {
    const { press, frame } = openSetup({
      ports: {
        check: (_, tell) => {
          for (let n = 1; n <= 30; n++) tell({ tone: 'warn', text: `finding ${n}` });
          return Promise.resolve({ usability: 'all', capabilities: [], region: undefined });
        },
      },
    });

    await press('\r\r');

    expect(frame(60, 15).join('\n')).toContain('finding 30');
    expect(frame(60, 15)).toHaveLength(14);
  });

  test('what to type next, and what the store can do, scrolled to its end', async () => {
    const wizard = openSetup();
    await walk(wizard, () => undefined);

    const top = wizard.frame(80, 24).join('\n');
    await wizard.press(DOWN.repeat(9));
    const bottom = wizard.frame(80, 24).join('\n');

    expect(top).toMatch(/archiver upload \.\/FOLDER --dry-run/);
    expect(top).toMatch(/ ✗ versions +versioning was never turned on\n +A stolen writer key can overwrite/);
    expect(bottom).toMatch(/archiver upload \.\/FOLDER --dry-run/);
    expect(bottom).toMatch(/ ✓ clock +within a minute of that of this computer\n/);
    expect(bottom).toMatch(/can do\.\n/);
  });

  test('the diff, scrolled, and the help', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => ({ sign: '+' as const, text: `line ${n}` }));
    const { press, frame } = openSetup({
      ports: { review: () => Promise.resolve({ path: '/c', isNew: true, lines }) },
    });

    for (const keys of ['\r\r', '\r', '\r', '\r']) await press(keys);
    expect(frame(60, 15).join('\n')).toContain('+ line 0');
    await press(DOWN.repeat(50));
    expect(frame(60, 15).join('\n')).toContain('+ line 39');
    await press('?');
    expect(frame(80, 24).join('\n')).toContain('Keys in setup');
    await press('x');
    expect(frame(80, 24).join('\n')).toContain('Make this file?');
  });
});
