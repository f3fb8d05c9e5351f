import { useEffect, useEffectEvent, type ReactElement, type ReactNode } from 'react';
import { Line } from './line.js';
import { useSize } from './size.js';
import { cut, widthOf } from './text.js';
import { Tint, useTheme } from './theme.js';

export interface Message {
  /** Text; of parts joined by ` · `, the last ones are dropped first. */
  readonly text: string;
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
}

/** Stands between the parts of a message; ASCII terminals show a hyphen. */
export const BETWEEN = ' · ';

/** The status line: a glyph, a sentence, and text on the right. */
export function Status({ message, right = '' }: { message: Message; right?: string }): ReactElement {
  const { glyphs, unicode } = useTheme();
  const { tone = 'plain', text } = message;
  const sign = tone === 'plain' ? '' : `${glyphs[tone]} `;
  const room = useSize().columns - 2 - widthOf(sign) - (right === '' ? 0 : widthOf(right) + 2);
  return (
    <Line
      left={
        <>
          <Tint tone={tone}>{sign}</Tint>
          {cut(partsThatFit(text.split(BETWEEN), unicode ? BETWEEN : ' - ', room), room, 'end', glyphs.ellipsis)}
        </>
      }
      right={right === '' ? undefined : <Tint tone="dim">{right}</Tint>}
    />
  );
}

/** Joins as many of the parts as there is room for, from the first on. */
export function partsThatFit(parts: string[], between: string, room: number): string {
  while (parts.length > 1 && widthOf(parts.join(between)) > room) parts.pop();
  return parts.join(between);
}

const TOAST_MS = 4000;

/** A message that replaces the status for a moment. A new message restarts the time. */
export function Toast({
  message,
  onExpire,
  children,
}: {
  message: Message | undefined;
  onExpire: () => void;
  children: ReactNode;
}): ReactElement {
  const expire = useEffectEvent(onExpire);
  useEffect(() => {
    if (message === undefined) return undefined;
    const timer = setTimeout(() => expire(), TOAST_MS);
    return () => clearTimeout(timer);
  }, [message]);
  return message === undefined ? <>{children}</> : <Status message={message} />;
}
