// Reads lines at a prompt, inline: Ink draws the line while it is being typed, and is gone while a command runs. So output of any length
// goes straight to the terminal and into its scrollback, none of it is kept, and programs started by a command have the terminal to
// themselves.
import { renderToString } from 'ink';
import type { ShellStore } from '../../stores/shell-store.js';
import { openInline } from '../../ui/inline-screen.js';
import { createKeySource, type Key } from '../../ui/keys.js';
import type { Look } from '../../ui/look.js';
import { type InputTerminal, readInto } from '../../ui/read-input.js';
import { widthOf } from '../../ui/text.js';
import { makeTheme, ThemeContext } from '../../ui/theme.js';
import type { Ending } from './shell-keys.js';
import { ShellPrompt, TypedLine } from './shell-prompt.js';

export interface ShellScreenOptions extends InputTerminal {
  readonly store: ShellStore;
  readonly look: Look;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

export interface ShellScreen {
  /** Reads the next line; undefined at the end of the session. The terminal is restored when it settles. */
  readonly readLine: (prompt: string) => Promise<string | undefined>;
}

const CLEAR = '\u001b[H\u001b[2J';

/** A screen for one session. It draws nothing until a line is requested. */
export function createShellScreen(options: ShellScreenOptions): ShellScreen {
  const { store, signal } = options;
  const typeLine = typist(options);
  return {
    async readLine(prompt) {
      store.getState().begin(prompt);
      for (;;) {
        const ended = signal.aborted ? 'end' : await typeLine();
        if (ended === 'line') return store.getState().submit();
        if (ended === 'end') return undefined;
      }
    },
  };
}

/** Draws the line until a key ends it. */
function typist({ store, stdin, stdout, look, signal }: ShellScreenOptions): () => Promise<Ending> {
  // Keys that were typed after the end of a line, or while it was being completed.
  let ahead: Key[] = [];
  return async () => {
    // Done before the prompt is visible: what is typed at it must neither be echoed nor be a signal.
    stdin.setRawMode?.(true);
    let isOver = false;
    const waiting = ahead;
    ahead = [];
    let end: (how: Ending) => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const ended = new Promise<Ending>((resolve, reject) => {
      end = (how) => {
        isOver = true;
        resolve(how);
      };
      fail = reject;
    });
    const accepts = (key: Key): boolean => {
      const isLater = isOver || (store.getState().isCompleting && key.id !== 'ctrl+c');
      if (isLater) ahead.push(key);
      return !isLater;
    };
    const keys = createKeySource({ accepts, onError: fail });
    const abort = (): void => end('end');
    const screen = openInline(<ShellPrompt store={store} onEnd={end} />, { stdout, look, keys, onError: fail });
    const stopWaiting = store.subscribe(({ isCompleting }, before) => {
      if (isCompleting || !before.isCompleting) return;
      const typed = ahead;
      ahead = [];
      typed.forEach(keys.press);
    });
    signal.addEventListener('abort', abort);
    const stopKeys = readInto(keys, { stdin, stdout }, abort);
    try {
      waiting.forEach(keys.press);
      const how = await ended;
      await screen.leave(how === 'clear' ? CLEAR : typedLine(store, look));
      return how;
    } finally {
      signal.removeEventListener('abort', abort);
      stopWaiting();
      stopKeys();
      await screen.leave();
    }
  };
}

/** The final line, in one piece: the terminal breaks it, and joins it when it is copied. */
function typedLine(store: ShellStore, look: Look): string {
  const { prompt, line } = store.getState();
  const element = (
    <ThemeContext value={makeTheme(look)}>
      <TypedLine prompt={prompt} text={line.text} />
    </ThemeContext>
  );
  return `${renderToString(element, { columns: widthOf(prompt + line.text) + 2 })}\n`;
}
