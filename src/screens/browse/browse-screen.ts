// Wires the browser to a terminal: keys to the store, its states to frames. What is under way when the screen is left goes
// on only as far as its signal lets it.
import type { BrowseStore } from '../../stores/browse/browse-store.js';
import { displayText } from '../../stores/display-text.js';
import { rowCount } from '../../stores/browse/browse-state.js';
import { formatCount } from '../../ui/format.js';
import { openFullScreen, type ScreenSize } from '../../ui/string-screen.js';
import type { Key } from '../../ui/key-decoder.js';
import type { Line } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import type { KeyInput } from '../../ui/read-keys.js';
import { scrollTo } from '../../ui/scroll-window.js';
import type { TerminalStream } from '../../ui/terminal.js';
import { handleKey } from './browse-keys.js';
import { browseLines, pageRows } from './browse-view.js';
import { type BrowseSettings, refusalOf } from './panel-lines.js';

/** Entries that were read so far. */
export type LoadProgress = (entries: number, of: number) => void;

export interface BrowseScreenOptions {
  readonly stdin: KeyInput;
  readonly stdout: TerminalStream;
  readonly look: Look;
  readonly settings: BrowseSettings;
  /** What is opened, for the time until it is. */
  readonly title: string;
  readonly open: (onProgress: LoadProgress) => Promise<BrowseStore>;
  /** Ends the screen. */
  readonly signal: AbortSignal;
}

const QUIT_KEYS = ['q', 'ctrl+c'];
const LOADED_EVERY_MS = 100;

/** Shows the browser until the person leaves it, also while it opens. @throws what `open` throws, and what went wrong in drawing */
export async function showBrowse(options: BrowseScreenOptions): Promise<void> {
  const { stdin, stdout, look, signal } = options;
  const browser = new Browser(options);
  const left = new Promise<undefined>((resolve) => {
    browser.onQuit = () => resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const screen = openFullScreen({
    stdin,
    stdout,
    look,
    frame: (size) => browser.frame(size),
    onKey: (key) => browser.key(key, pageRows({ columns: 0, rows: stdout.rows || 24 })),
    quitKeys: QUIT_KEYS,
  });
  browser.redraw = screen.redraw;
  try {
    const opening = options.open((entries, of) => browser.progress(entries, of));
    opening.catch(() => undefined); // left before it was open: nobody waits for it any more
    const store = await Promise.race([opening, left, screen.failed]);
    if (store === undefined || signal.aborted) return;
    browser.show(store);
    await Promise.race([left, screen.failed]);
  } finally {
    screen.leave();
  }
}

class Browser {
  redraw: () => void = () => undefined;
  onQuit: () => void = () => undefined;
  private store: BrowseStore | undefined;
  private loaded = '';
  private loadedShownMs = 0;
  private top = 0;

  constructor(private readonly options: BrowseScreenOptions) {}

  /** Comes for every piece that was read, which is more often than anybody could see. */
  progress(entries: number, of: number): void {
    const nowMs = performance.now();
    if (nowMs - this.loadedShownMs < LOADED_EVERY_MS) return;
    this.loadedShownMs = nowMs;
    this.loaded = `${formatCount(entries)} of ${formatCount(of)} entries`;
    this.redraw();
  }

  show(store: BrowseStore): void {
    this.store = store;
    store.subscribe(({ isOver }) => {
      if (isOver) this.onQuit();
      else this.redraw();
    });
    this.redraw();
  }

  key(key: Key, rows: number): void {
    if (this.store === undefined) {
      if (QUIT_KEYS.includes(key.name === 'text' ? key.text : key.name)) this.onQuit();
      return;
    }
    const view = this.store.getState();
    handleKey(key, {
      view,
      actions: view.do,
      pageRows: rows,
      refusal: view.mode.kind === 'confirm' ? refusalOf(view, this.options.settings) : undefined,
    });
  }

  frame(size: ScreenSize): readonly Line[] {
    const { settings, look, title } = this.options;
    if (this.store === undefined)
      return [
        [{ text: ' archiver browse  ', tone: 'accent' }, { text: displayText(title, look) }],
        [],
        [{ text: ` reading the manifest  ${this.loaded}` }],
        [],
        [{ text: ' q', tone: 'accent' }, { text: ' quit' }],
      ];
    const view = this.store.getState();
    const height = pageRows(size);
    this.top = scrollTo(view.position, { count: rowCount(view), height, top: this.top });
    return browseLines({ view, settings, size, top: this.top, look });
  }
}
