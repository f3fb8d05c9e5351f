import { expect, test } from 'vitest';
import { flag } from '../../src/cli/flag.js';
import { allFlags } from '../../src/cli/global-flags.js';

test('a flag of the command replaces the global flag of its name', () => {
  const trace = flag.text({ describe: 'a trace file' });

  expect(allFlags({ flags: { trace } })['trace']).toBe(trace);
});

test('a short letter of the command is taken from the global flag, which stays', () => {
  const flags = allFlags({ flags: { tier: flag.text({ short: 't', describe: 'a tier' }) } });

  expect([flags['tier']?.short, flags['trace']?.short, flags['verbose']?.short]).toEqual(['t', undefined, 'v']);
});
