// What a server shows on stderr: a frame on a terminal, else a line now and then; nothing with --quiet but warnings.
import { pickReporter } from '../../cli/progress.js';
import type { Context } from '../../cli/context.js';
import { servedText } from '../../screens/serve/serve-words.js';
import type { ServeStore } from '../../stores/serve/serve-store.js';
import { lookOf } from '../../ui/look.js';

export interface ServeDisplay {
  /** Begins to draw. */
  readonly show: (title: string) => Promise<void>;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly debug: (text: string) => void;
  readonly stop: () => Promise<void>;
}

const LINE_EVERY_MS = 10_000;

/** The display of a server. */
export function openServeDisplay(store: ServeStore, context: Context): ServeDisplay {
  const { quiet, trace, stderr, env } = context;
  const kind = pickReporter({ flags: { quiet, trace: trace || context.verbose }, stderr, env });
  return kind === 'tui' ? screenOf(store, context) : linesOf(store, context, kind === 'none');
}

function screenOf(store: ServeStore, context: Context): ServeDisplay {
  let screen: { readonly stop: () => Promise<void> } | undefined;
  return {
    async show(title) {
      const { startServeScreen } = await import('../../screens/serve/serve-screen.js');
      screen = startServeScreen({
        store,
        title,
        stream: context.stderr,
        look: lookOf(context.colors.stderr, context.env),
      });
    },
    note: store.getState().note,
    // A line in the middle of a frame would break it.
    warn: (text) => (screen === undefined ? context.warn(text) : store.getState().note(text)),
    debug: () => undefined,
    async stop() {
      store.getState().close();
      await screen?.stop();
    },
  };
}

function linesOf(store: ServeStore, context: Context, isSilent: boolean): ServeDisplay {
  let timer: NodeJS.Timeout | undefined;
  let told = 0;
  const tell = (): void => {
    store.getState().refresh();
    const { snapshot } = store.getState();
    if (!isSilent && snapshot.requests > told) context.note(servedText(snapshot));
    told = snapshot.requests;
  };
  return {
    show(title) {
      if (!isSilent) context.note(title);
      timer = setInterval(tell, LINE_EVERY_MS).unref();
      return Promise.resolve();
    },
    note: (text) => context.note(text),
    warn: (text) => context.warn(text),
    debug: (text) => context.debug(text),
    stop() {
      if (timer !== undefined) tell();
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}
