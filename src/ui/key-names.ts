// What Node calls the key that sends a sequence: its keypress events know the sequences of xterm, rxvt, PuTTY, Cygwin and
// the Linux console.
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
/** Keys that some screen has a use for; letters count with alt and ctrl. */
const NAMED = /^(?:up|down|left|right|home|end|pageup|pagedown|delete|enter|tab|backspace|escape|[a-z])$/;

/**
 * The name of the key that sends exactly this: `up`, `ctrl+c`, `shift+tab`, `alt+backspace`. Of several modifiers the strongest
 * counts. Undefined when no key that anybody could mean sends it.
 */
export function nameOfKey(sequence: string): string | undefined {
  // One for each: Node waits for more behind some whole sequences (ESC O 5), and would take the next key for it.
  const input = new PassThrough();
  const heard: Keypress[] = [];
  emitKeypressEvents(input);
  input.on('keypress', (_: unknown, key: Keypress) => heard.push(key));
  // Not written: what is emitted is answered at once.
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
