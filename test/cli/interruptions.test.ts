import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { interruptions } from '../../src/cli/interruptions.js';
import type { ArchiverError } from '../../src/core/platform/failures/errors.js';

const start = () => {
  const source = new EventEmitter();
  const ended: number[] = [];
  const told: string[] = [];
  const { signal, settle, captureInterrupt, onForcedExit } = interruptions(
    source,
    (status) => ended.push(status),
    (text) => told.push(text),
  );
  return { source, ended, told, signal, settle, captureInterrupt, onForcedExit };
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

test('who is in the middle of something has the last word, until it is done', () => {
  const { source, ended, told, onForcedExit } = start();
  const done = onForcedExit(() => 'outer');
  const doneInner = onForcedExit(() => undefined);

  source.emit('SIGINT', 'SIGINT');
  source.emit('SIGINT', 'SIGINT');
  doneInner();
  source.emit('SIGINT', 'SIGINT');
  done();
  source.emit('SIGINT', 'SIGINT');

  expect([told, ended]).toEqual([['outer'], [130, 130, 130]]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s after the command has ended does not change how it ended', (name) => {
  const { source, ended, signal, settle, captureInterrupt } = start();
  captureInterrupt(() => expect.unreachable());

  settle(3);
  source.emit(name, name);

  expect([ended, signal.aborted]).toEqual([[3], false]);
});

test('Ctrl+C goes to whoever took it last, until they give it back; other signals never do', () => {
  const { source, ended, signal, captureInterrupt } = start();
  const heard: string[] = [];
  const releaseOuter = captureInterrupt(() => heard.push('outer'));
  const releaseInner = captureInterrupt(() => heard.push('inner'));

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

test.each([
  ['SIGTERM', [143]],
  ['SIGHUP', [129]],
  ['SIGINT', []],
])('%s ends the process when the command has not stopped after eight seconds: %j', (name, statuses) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { source, ended, told } = start();

  source.emit(name, name);
  vi.advanceTimersByTime(7900);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(200);

  expect(ended).toEqual(statuses);
  expect(told).toHaveLength(statuses.length);
});

test('a command that stops in time is not ended', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { source, ended, settle } = start();

  source.emit('SIGTERM', 'SIGTERM');
  settle(0);
  vi.advanceTimersByTime(60_000);

  expect(ended).toEqual([]);
});
