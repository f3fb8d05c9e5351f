import { expect, it } from 'vitest';
import type { TransferEvent } from '../../../src/core/events/events.js';
import { type EventConsumer, fanOut } from '../../../src/core/events/fan-out.js';

const first: TransferEvent = { type: 'note', text: 'first' };
const second: TransferEvent = { type: 'note', text: 'second' };

function recorder(name: string): EventConsumer & { readonly events: TransferEvent[] } {
  const events: TransferEvent[] = [];
  return { name, events, take: (event) => void events.push(event) };
}

it('hands every event to every consumer, in order', () => {
  const [one, two] = [recorder('one'), recorder('two')];
  const emit = fanOut([one, two], expect.unreachable);

  emit(first);
  emit(second);

  expect(one.events).toEqual([first, second]);
  expect(two.events).toEqual([first, second]);
});

it('leaves out a consumer that throws, tells the others, and goes on', () => {
  const failures: string[] = [];
  let calls = 0;
  const take = (): never => {
    calls += 1;
    throw new Error('disk full');
  };
  const [before, after] = [recorder('before'), recorder('after')];
  const emit = fanOut([before, { name: 'ledger', take }, after], (text) => void failures.push(text));

  emit(first);
  emit(second);

  const note = { type: 'note', text: 'the ledger failed and was left out: disk full' };
  expect(calls).toBe(1);
  expect(failures).toEqual([note.text]);
  expect(before.events).toEqual([first, note, second]);
  expect(after.events).toEqual([note, first, second]);
});

it('ends when all consumers fail', () => {
  const failures: string[] = [];
  const take = (): never => {
    throw new Error('no');
  };
  const emit = fanOut(
    [
      { name: 'a', take },
      { name: 'b', take },
    ],
    (text) => void failures.push(text),
  );

  emit(first);

  expect(failures).toHaveLength(2);
});
