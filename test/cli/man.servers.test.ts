// Manual pages before the programs that format them on a system: mandoc's lint, and groff as plain as it comes.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { roff } from '../../scripts/docs/man.js';
import { missingTools } from '../e2e/upload-cli.js';

const folder = fileURLToPath(new URL('../../man/', import.meta.url));
const names = readdirSync(folder);
const run = (program: string, args: readonly string[], input?: string) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, input, encoding: 'utf8' });
  return { status, text: stdout + stderr };
};

/** Everything that is to be read again, at the start of a line and within it. */
const NASTY = ['.TH', "'x'", String.raw`\fB\n\(aq`, '--no', '~', '^', '`', '"', '…', 'ß', '😀'].flatMap((one) => [
  `${one}x`,
  `x${one}y`,
]);
const PAGE = `.TH NASTY 1 2026-11-30 "archiver 1" "archiver"\n.SH NAME\nnasty \\- text\n.SH DESCRIPTION\n.nf\n${NASTY.map(roff).join('\n')}\n.fi\n`;
const OVERSTRUCK = new RegExp(`.${String.fromCharCode(8)}`, 'gu');
/** Without what a terminal is told of bold letters, and without margins. */
const linesOf = (text: string): readonly string[] =>
  text
    .replaceAll(OVERSTRUCK, '')
    .split('\n')
    .map((line) => line.trim());
const expected = NASTY.map((line) => line.replace('…', '...'));

describe.skipIf(missingTools('mandoc').length > 0)('mandoc', () => {
  test('finds nothing above style in any page', () => {
    const found = names.map((name) => [name, run('mandoc', ['-T', 'lint', '-W', 'warning', name])] as const);

    const failing = found.filter(([, { status, text }]) => status !== 0 || text !== '');
    process.stderr.write(`mandoc -T lint: ${names.length} pages checked, ${failing.length} failing\n`);
    expect(failing).toEqual([]);
    expect(names.length).toBeGreaterThan(80);
  });

  test('prints each character as it was written', () => {
    expect(linesOf(run('mandoc', ['-T', 'utf8'], PAGE).text)).toEqual(expect.arrayContaining(expected));
  });
});

describe.skipIf(missingTools('groff').length > 0)('groff', () => {
  test.each(['ascii', 'latin1', 'utf8', 'ps'])('formats every page for %s without a warning', (device) => {
    const found = names.map((name) => [name, run('groff', ['-man', '-ww', '-z', '-T', device, name])] as const);

    const failing = found.filter(([, { status, text }]) => status !== 0 || text !== '');
    process.stderr.write(`groff -man -ww -T ${device}: ${names.length} pages checked, ${failing.length} failing\n`);
    expect(failing).toEqual([]);
  });

  test('prints each character as it was written', () => {
    expect(linesOf(run('groff', ['-man', '-T', 'utf8', '-P', '-cbou'], PAGE).text)).toEqual(
      expect.arrayContaining(expected),
    );
  });
});
