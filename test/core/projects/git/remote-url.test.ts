import { expect, test } from 'vitest';
import { withoutCredentials } from '../../../../src/core/projects/git/read-git.js';

test.each([
  ['https://user:secret@example.org/lab/data.git', 'https://example.org/lab/data.git'],
  ['https://ghp_0123456789abcdef@example.org/lab/data.git', 'https://example.org/lab/data.git'],
  ['https://oauth2:secret@example.org:8443/data', 'https://example.org:8443/data'],
  ['http://a%40b:p%3Aq@example.org/x', 'http://example.org/x'],
  ['https://user:se@cret@example.org/x', 'https://example.org/x'],
  ['https://example.org/x.git?access_token=secret#part', 'https://example.org/x.git'],
  ['HTTPS://user:secret@example.org/x', 'HTTPS://example.org/x'],
  ['ssh://git@example.org:22/lab/data.git', 'ssh://git@example.org:22/lab/data.git'],
  ['ssh://git:secret@example.org/data.git', 'ssh://git@example.org/data.git'],
  ['ssh://:secret@example.org/data.git', 'ssh://example.org/data.git'],
  ['git@example.org:lab/data.git', 'git@example.org:lab/data.git'],
  ['git:secret@example.org:lab/data.git', 'git@example.org:lab/data.git'],
  ['helper::https://user:secret@example.org/x', 'helper::https://example.org/x'],
  ['codecommit::eu-west-1://data', 'codecommit::eu-west-1://data'],
  ['file:///srv/git/data.git', 'file:///srv/git/data.git'],
  ['/srv/git/data@home.git', '/srv/git/data@home.git'],
  ['../data', '../data'],
])('%s is written down as %s', (remote, written) => {
  expect(withoutCredentials(remote)).toBe(written);
});

test('a remote that is a command is not written down', () => {
  expect(withoutCredentials('ext::ssh -i key user@example.org %S')).toBeUndefined();
});
