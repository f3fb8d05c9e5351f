import { useEffect, useEffectEvent, type ReactNode, type ReactElement } from 'react';
import { Line } from './line.js';
import { Tint, useTheme } from './theme.js';

export interface Message {
  readonly text: string;
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
}

/** The status line: a glyph, a sentence, and on the right where one is. */
export function Status({ message, right }: { message: Message; right?: string }): ReactElement {
  const { glyphs } = useTheme();
  const { tone = 'plain', text } = message;
  const glyph: ReactNode = tone === 'plain' ? null : <Tint tone={tone}>{`${glyphs[tone]} `}</Tint>;
  return (
    <Line
      left={
        <>
          {glyph}
          {text}
        </>
      }
      {...(right === undefined ? {} : { right: <Tint tone="dim">{right}</Tint> })}
    />
  );
}

const TOAST_MS = 4000;

/** A message that takes the place of the status for a moment. A new message starts the time again. */
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
