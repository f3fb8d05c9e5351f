// Names keys by the sequences they send, as Node does: its keypress events know the sequences of xterm, rxvt, PuTTY, Cygwin and the Linux
// console.
import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';

interface Keypress {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

const RENAMED: Readonly<Record<string, string>> = { return: 'enter' };
/** Keys that screens can use; letters are used with alt and ctrl. */
const NAMED = /^(?:up|down|left|right|home|end|pageup|pagedown|delete|enter|tab|backspace|escape|[a-z])$/;

/**
 * The name of the key that sends exactly this sequence: `up`, `ctrl+c`, `shift+tab`, `alt+backspace`. Of several modifiers the strongest
 * counts. Undefined when it is not a key in use.
 */
export function nameOfKey(sequence: string): string | undefined {
  // A new stream for each sequence: Node waits for more after some whole sequences (ESC O 5), and would take the next key for that.
  const input = new PassThrough();
  const heard: Keypress[] = [];
  emitKeypressEvents(input);
  input.on('keypress', (_: unknown, key: Keypress) => heard.push(key));
  // Emitted instead of written, so that it is handled at once.
  input.emit('data', Buffer.from(sequence));
  const [key, ...others] = heard;
  if (key?.name === undefined || key.sequence !== sequence || others.length > 0) return undefined;
  const name = RENAMED[key.name] ?? key.name;
  return NAMED.test(name) ? modifier(key) + name : undefined;
}

function modifier({ ctrl = false, meta = false, shift = false }: Keypress): string {
  if (ctrl) return 'ctrl+';
  if (meta) return 'alt+';
  return shift ? 'shift+' : '';
}
