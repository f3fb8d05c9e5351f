// A source that cannot be read, in words: how long for, whether it is tried again, and how old its figures are.
import type { ReactElement, ReactNode } from 'react';
import { useStore } from 'zustand';
import type { Source, SourceState } from '../../stores/dashboard/source.js';
import { clockMinute } from '../../ui/format-time.js';
import { Paragraph } from '../../ui/paragraph.js';
import { Room, useSize } from '../../ui/size.js';
import { wrapped } from '../../ui/wrapped.js';
import { outageWords } from '../outage-words.js';
import { useNames } from '../use-names.js';

/** `unreachable since 11:34, try 3 of 10, figures of 11:33`; undefined when all is well. */
export function outageText({ outage, readAt }: Pick<SourceState<unknown>, 'outage' | 'readAt'>): string | undefined {
  if (outage === undefined) return undefined;
  return [
    ...outageWords(outage),
    readAt === undefined ? 'never read' : `figures of ${clockMinute(readAt, outage.seenAt)}`,
  ].join(', ');
}

/** The body of a view below the whole reason why its source cannot be read, while there is one. */
export function BelowReason({
  source,
  children,
}: {
  readonly source: Source<unknown>;
  readonly children: ReactNode;
}): ReactElement {
  const { columns, rows } = useSize();
  const names = useNames();
  const reason = useStore(source, ({ problem, outage }) => (outage === undefined ? undefined : problem));
  if (reason === undefined) return <>{children}</>;
  const text = names(reason);
  const taken = Math.min(wrapped(text, columns - 2).length, rows - 1);
  return (
    <>
      <Room columns={columns} rows={taken}>
        <Paragraph tone="bad">{text}</Paragraph>
      </Room>
      <Room columns={columns} rows={rows - taken}>
        {children}
      </Room>
    </>
  );
}
