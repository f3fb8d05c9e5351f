import { describe, expect, test } from 'vitest';
import {
  aclFromText,
  aclMode,
  aclText,
  type AccountIds,
  isPlainMode,
} from '../../../../src/core/format/tar/posix-acl.js';
import { raw } from '../../../support/raw.js';

const entry = (tag: number, permissions: number, id = 0xffff_ffff): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(tag, 0);
  bytes.writeUInt16LE(permissions, 2);
  bytes.writeUInt32LE(id, 4);
  return bytes;
};
const list = (...entries: Buffer[]): Buffer => Buffer.concat([Buffer.from([2, 0, 0, 0]), ...entries]);
const LIST = list(
  entry(1, 6),
  entry(2, 4, 1),
  entry(2, 6, 4321),
  entry(4, 0),
  entry(8, 1, 2),
  entry(16, 7),
  entry(32, 4),
);
const TEXT = 'user::rw-\nuser:1:r--\nuser:4321:rw-\ngroup::---\ngroup:2:--x\nmask::rwx\nother::r--\n';
const ACCOUNTS: AccountIds = {
  user: (name) => (name === 'daemon' ? 1 : undefined),
  group: (name) => (name === 'bin' ? 2 : undefined),
};

test('a list of the kernel is text with a line an entry and accounts by number', () => {
  expect(aclText(LIST)).toBe(TEXT);
  expect([LIST.subarray(0, 10), Buffer.alloc(0), Buffer.from([3, 0, 0, 0]), list(entry(3, 1))].map(aclText)).toEqual(
    Array.from({ length: 4 }),
  );
});

test('the mode is the one that the kernel makes of a list: its mask is what a group has', () => {
  expect([aclMode(LIST), aclMode(list(entry(1, 6), entry(4, 4), entry(32, 0)))]).toEqual([0o674, 0o640]);
  expect([isPlainMode(LIST), isPlainMode(list(entry(1, 6), entry(4, 4), entry(32, 0)))]).toEqual([false, true]);
  expect(aclMode(list(entry(1, 6)))).toBeUndefined();
});

test.each([
  ['of ours', TEXT],
  ['of GNU tar, by name', TEXT.replace('user:1:', 'user:daemon:').replace('group:2:', 'group:bin:')],
  [
    'of bsdtar: commas, numbers in a fourth field, another order',
    'user::rw-,group::---,other::r--,user:daemon:r--:1,user:4321:rw-,group:strange:--x:2,mask::rwx',
  ],
  ['of Solaris: two fields, remarks', `${TEXT.replace('mask::', 'mask:').replace('other::', 'other:')}# a remark`],
  ['by letters', 'u::rw-,u:1:r--,u:4321:rw-,g::---,g:2:--x,m::rwx,o::r--'],
])('text %s is read', (_what, text) => {
  expect(aclFromText(raw(text), ACCOUNTS)?.toString('hex')).toBe(LIST.toString('hex'));
});

test('the number goes before the name, which may be another account here', () => {
  const bytes = aclFromText(raw('user::rw-,user:daemon:r--:77,group::r--,mask::r--,other::---'), ACCOUNTS);

  expect(bytes && aclText(bytes)).toContain('user:77:r--');
});

describe('is no list', () => {
  test.each([
    ['a name that is not known', 'user::rw-,user:nobody-knows-me:r--,group::r--,mask::r--,other::---'],
    ['somebody named and no mask', 'user::rw-,user:1:r--,group::r--,other::---'],
    ['nothing for others', 'user::rw-,group::r--'],
    ['somebody twice', 'user::rw-,user:1:r--,user:1:rw-,group::r--,mask::r--,other::---'],
    ['a number that no account has', 'user::rw-,user:4294967295:r--,group::r--,mask::r--,other::---'],
    ['letters that are no permissions', 'user::rwz,group::r--,other::---'],
    ['a word that is not known', 'user::rw-,group::r--,other::---,owner::r--'],
  ])('%s', (_what, text) => {
    expect(aclFromText(raw(text), ACCOUNTS)).toBeUndefined();
  });
});
