import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { quietWarnings } from '../../src/cli/warnings.js';

class FakeProcess extends EventEmitter {
  env: Record<string, string | undefined> = {};
  text = '';
  stderr = { write: (text: string) => (this.text += text) };
}

const warning = (name: string, message: string): Error => Object.assign(new Error(message), { name });

test('noise for maintainers is silent, what matters is one line', () => {
  const source = new FakeProcess();
  source.on('warning', () => (source.text += 'printed by node'));
  quietWarnings(source);

  source.emit('warning', warning('ExperimentalWarning', 'x'));
  source.emit('warning', warning('DeprecationWarning', 'x'));
  expect(source.text).toBe('');

  source.emit('warning', warning('MaxListenersExceededWarning', 'leak\u0007'));
  expect(source.text).toBe('! MaxListenersExceededWarning: leak\\x07\n');
});

test('the SDK is told to keep its notice, unless the person decided', () => {
  const source = new FakeProcess();
  quietWarnings(source);
  expect(source.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED']).toBe('true');

  const decided = new FakeProcess();
  decided.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'false';
  quietWarnings(decided).show();
  expect(decided.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED']).toBe('false');
});

test('with --trace everything shows', () => {
  const source = new FakeProcess();
  quietWarnings(source).show();

  source.emit('warning', warning('ExperimentalWarning', 'x'));

  expect(source.text).toContain('ExperimentalWarning: x');
  expect(source.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED']).toBeUndefined();
});
