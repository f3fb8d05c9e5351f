// Hides warnings of Node and of libraries, which are for their maintainers: experimental features, deprecations, the AWS SDK's notice about
// Node 20. They would break a screen. --trace shows them.
import { printable } from '../core/platform/paths/raw-path.js';

interface WarningSource {
  readonly env: Record<string, string | undefined>;
  readonly stderr: { write(text: string): unknown };
  removeAllListeners(name: 'warning'): unknown;
  on(name: 'warning', listener: (warning: Error) => void): unknown;
}

const SDK_SWITCH = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';
const NOISE = new Set(['ExperimentalWarning', 'DeprecationWarning']);

/** Takes over the printing of warnings; `show` lets everything through. */
export function quietWarnings(source: WarningSource): { readonly show: () => void } {
  let showsAll = false;
  const ownSwitch = source.env[SDK_SWITCH] === undefined;
  if (ownSwitch) source.env[SDK_SWITCH] = 'true';
  // Node's own printer is a listener, too.
  source.removeAllListeners('warning');
  source.on('warning', ({ name, message }) => {
    if (showsAll || !NOISE.has(name)) source.stderr.write(`! ${name}: ${printable(message)}\n`);
  });
  return {
    show() {
      showsAll = true;
      if (ownSwitch) delete source.env[SDK_SWITCH];
    },
  };
}
