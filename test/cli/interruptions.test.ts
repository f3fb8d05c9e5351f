import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { interruptions } from '../../src/cli/interruptions.js';
import type { ArchiverError } from '../../src/core/errors.js';

const start = () => {
  const source = new EventEmitter();
  const ended: number[] = [];
  const { signal, release, takeCtrlC } = interruptions(source, (status) => ended.push(status));
  return { source, ended, signal, release, takeCtrlC };
};

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('the first %s aborts with status %d, the second ends the process', (name, status) => {
  const { source, ended, signal } = start();

  source.emit(name, name);
  expect((signal.reason as ArchiverError).exitCode).toBe(status);
  expect(ended).toEqual([]);

  source.emit(name, name);
  expect(ended).toEqual([status]);
});

test('after release signals are not ours any more', () => {
  const { source, signal, release } = start();

  release();
  source.emit('SIGINT', 'SIGINT');

  expect(signal.aborted).toBe(false);
});

test('Ctrl+C goes to whoever took it last, until they give it back; other signals never do', () => {
  const { source, ended, signal, takeCtrlC } = start();
  const heard: string[] = [];
  const releaseOuter = takeCtrlC(() => heard.push('outer'));
  const releaseInner = takeCtrlC(() => heard.push('inner'));

  source.emit('SIGINT', 'SIGINT');
  source.emit('SIGINT', 'SIGINT');
  releaseInner();
  source.emit('SIGINT', 'SIGINT');
  expect([heard, signal.aborted, ended]).toEqual([['inner', 'inner', 'outer'], false, []]);

  source.emit('SIGTERM', 'SIGTERM');
  expect((signal.reason as ArchiverError).exitCode).toBe(143);
  releaseOuter();
  source.emit('SIGINT', 'SIGINT');
  expect(ended).toEqual([130]);
});
