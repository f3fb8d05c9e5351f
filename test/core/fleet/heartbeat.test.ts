import { describe, expect, it } from 'vitest';
import { type Heartbeat, heartbeatBytes, heartbeatKey, parseHeartbeat } from '../../../src/core/fleet/heartbeat.js';
import { heartbeat } from '../../support/heartbeat.js';

const bytesOf = (document: unknown): Buffer => Buffer.from(JSON.stringify(document));

describe('parseHeartbeat', () => {
  it('reads what heartbeatBytes writes', () => {
    const written = heartbeat('web-01');
    expect(parseHeartbeat(heartbeatBytes(written))).toEqual(written);
    expect(heartbeatKey('web-01')).toBe('writers/web-01/status.json');
  });

  it('reads keys that it does not know, and takes those that may be null as null', () => {
    const { configVersion: _1, problem: _2, ...rest } = heartbeat('web-01');
    const read = parseHeartbeat(bytesOf({ ...rest, mood: 'fine' }));
    expect(read).toEqual(heartbeat('web-01', { configVersion: null, problem: null }));
  });

  const cycle = heartbeat('web-01').cycle;
  const [source] = heartbeat('web-01').sources;
  const damaged: readonly (readonly [string, object, RegExp])[] = [
    ['a number beyond what can be counted', { sources: [{ ...source, bytes: 1e300 }] }, /'bytes' of source 1/],
    ['a negative number', { sources: [{ ...source, files: -1 }] }, /'files' of source 1/],
    ['a fraction', { configVersion: 1.5 }, /'configVersion'/],
    ['an interval of centuries', { intervalSeconds: Number.MAX_SAFE_INTEGER }, /'intervalSeconds'/],
    ['a time that is none', { checkedInAt: '2026-13-45T99:00:00Z' }, /'checkedInAt'/],
    ['a time without its zone', { cycle: { ...cycle, endedAt: '2026-03-04T05:06:07' } }, /'endedAt'/],
    ['a phase that nobody knows', { phase: 'dreaming' }, /'phase'/],
    ['a text for a flag', { cycle: { ...cycle, isHealthy: 'yes' } }, /'isHealthy'/],
    ['no list of sources', { sources: { length: 3 } }, /'sources'/],
    ['a source that is a list', { sources: [[]] }, /source 1 of the heartbeat is not an object/],
    ['more sources than anybody has', { sources: Array.from({ length: 10_001 }, () => 0) }, /more than 10000 sources/],
    ['format 0', { formatVersion: 0 }, /'formatVersion'/],
  ];
  it.each(damaged)('refuses %s', (_, change, message) => {
    expect(() => parseHeartbeat(bytesOf({ ...heartbeat('web-01'), ...change }))).toThrow(
      expect.objectContaining({ code: 'integrity', message: expect.stringMatching(message) }),
    );
  });

  it('refuses the format of a later archiver as such', () => {
    const later = { ...heartbeat('web-01'), formatVersion: 2, sources: 'elsewhere' };
    expect(() => parseHeartbeat(bytesOf(later))).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });

  it('refuses every beginning of one', () => {
    const whole = heartbeatBytes(heartbeat('web-01'));
    for (let length = 0; length < whole.length - 1; length++)
      expect(() => parseHeartbeat(whole.subarray(0, length))).toThrow(expect.objectContaining({ code: 'integrity' }));
  });

  it('refuses what is larger than 1 MiB, what is not UTF-8 and what repeats a key', () => {
    const padded = { ...heartbeat('web-01'), padding: 'x'.repeat(1024 * 1024) };
    expect(() => parseHeartbeat(bytesOf(padded))).toThrow(/at most 1048576 are read/);
    expect(() => parseHeartbeat(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow(/is not UTF-8/);
    expect(() => parseHeartbeat(Buffer.from('{"formatVersion":1,"formatVersion":1}'))).toThrow(/twice/);
    expect(() => parseHeartbeat(Buffer.from('['.repeat(500_000)))).toThrow(/nests/);
  });

  it('gives a document of the type, whatever is in it', () => {
    const hostile = bytesOf({ ...heartbeat('web-01'), ['__proto__']: { phase: 'waiting' } });
    const read: Heartbeat = parseHeartbeat(hostile);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});
