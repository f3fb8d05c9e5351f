// The prompt of a shell, inline: Ink draws the line while it is being typed, and is gone while a command runs. So output
// of any length goes straight to the terminal and into its scrollback, nothing of it is kept, and programs that a command
// starts have the terminal to themselves.
import { render, Transform } from 'ink';
import type { ReactElement } from 'react';
import type { ShellStore } from '../../stores/shell-store.js';
import { lineWidth, type Line, paintLine } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { type Key, type KeyInput, PASTE_MARKS_OFF, PASTE_MARKS_ON, readKeys } from '../../ui/read-keys.js';
import { eraseFrame, keepScrollback, type TerminalStream } from '../../ui/terminal.js';
import { unusedInput } from '../../ui/unused-input.js';
import { pressKey } from './shell-keys.js';
import { shellLines } from './shell-lines.js';

export interface ShellScreenOptions {
  readonly store: ShellStore;
  readonly stdin: KeyInput;
  readonly stdout: TerminalStream;
  readonly look: Look;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

const CLEAR = '\u001b[H\u001b[2J';

/** Reads lines on a terminal, one at a time. */
export class ShellScreen {
  /** Typed ahead: keys that came behind the end of a line. */
  private ahead: Key[] = [];

  constructor(private readonly options: ShellScreenOptions) {}

  /** The next line; undefined when there is none any more. The terminal is as before when it settles. */
  async readLine(prompt: string): Promise<string | undefined> {
    const { store, signal } = this.options;
    store.getState().begin(prompt);
    for (;;) {
      const ended = signal.aborted ? 'end' : await this.type();
      if (ended === 'line') return store.getState().submit();
      if (ended === 'end') return undefined;
    }
  }

  /** Draws the line until a key ends it. */
  private async type(): Promise<'line' | 'end' | 'clear'> {
    const { store, stdin, stdout, signal } = this.options;
    // Before the prompt is seen: what is typed at it must neither be echoed nor be a signal.
    stdin.setRawMode?.(true);
    const frame = new PromptFrame(this.options);
    const unsubscribe = store.subscribe(() => frame.draw());
    let stopKeys = (): void => undefined;
    let abort = (): void => undefined;
    stdout.write(PASTE_MARKS_ON);
    try {
      const ended = await new Promise<'line' | 'end' | 'clear'>((resolve, reject) => {
        let isOver = false;
        const press = (key: Key): void => {
          if (isOver) {
            this.ahead.push(key);
            return;
          }
          try {
            const pressed = pressKey(store, key);
            isOver = pressed !== undefined;
            if (pressed !== undefined) resolve(pressed);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        abort = () => resolve('end');
        signal.addEventListener('abort', abort);
        const ahead = this.ahead;
        this.ahead = [];
        stopKeys = readKeys(stdin, press, abort);
        ahead.forEach(press);
      });
      frame.leave(ended === 'clear' ? CLEAR : undefined);
      return ended;
    } finally {
      signal.removeEventListener('abort', abort);
      unsubscribe();
      stopKeys();
      frame.leave();
      stdout.write(PASTE_MARKS_OFF);
    }
  }
}

/** The frame of one prompt. */
class PromptFrame {
  private lines: readonly Line[] = [];
  private readonly app: ReturnType<typeof render>;
  private hasLeft = false;

  constructor(private readonly options: ShellScreenOptions) {
    const { stdout } = options;
    // Before `render`, so that it comes before Ink's own listener: Ink must not draw the old frame in the new width.
    stdout.on('resize', this.onResize);
    this.app = render(this.element(), {
      stdout: keepScrollback(stdout),
      stdin: unusedInput(),
      exitOnCtrlC: false,
      patchConsole: false,
      isScreenReaderEnabled: false,
    });
  }

  readonly draw = (): void => this.app.rerender(this.element());

  /** A terminal that became narrower has broken lines of the frame in two; Ink does not know of the rows that came so. */
  private readonly onResize = (): void => {
    const columns = this.options.stdout.columns || 80;
    const broken = this.lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(lineWidth(line) / columns)) - 1, 0);
    if (broken > 0) this.options.stdout.write('\u001b[1A\u001b[2K'.repeat(broken));
    this.draw();
  };

  private element(): ReactElement {
    const { store, stdout, look } = this.options;
    // A terminal that does not tell its size (0x0 over some serial lines) gets the classic one.
    const size = { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    this.lines = shellLines(store.getState(), size, look);
    return <Frame lines={this.lines.map((line) => paintLine(line, look))} />;
  }

  /** Takes the frame away; the line as it was typed stays, or what `instead` writes. */
  leave(instead?: string): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    const { store, stdout, look } = this.options;
    stdout.off('resize', this.onResize);
    // The last key may have come after the last frame.
    this.draw();
    this.app.unmount();
    const { prompt, line } = store.getState();
    const typed: Line = [{ text: prompt, tone: 'accent' }, { text: ` ${line.text}\n` }];
    stdout.write(eraseFrame(this.lines.length) + (instead ?? paintLine(typed, look)));
  }
}

/** Ink never forgets a text it has measured, so it measures a placeholder of the same height: see progress-view.tsx. */
function Frame({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return <Transform transform={(_, index) => lines[index] ?? ''}>{Array(lines.length).fill('.').join('\n')}</Transform>;
}
