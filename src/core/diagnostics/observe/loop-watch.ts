// When the event loop of the main thread was blocked: a timer that comes late says since when nothing else could run.
import type { Blocked } from './profile-stacks.js';

/** How often the loop is asked whether it runs. */
const TICK_MS = 10;
/** What the web calls a long task. */
const LONG_MS = 50;

/** Watches until `stop`, which gives the blocks. Does not keep the process alive. */
export function watchLoop(nowUs = (): number => Number(process.hrtime.bigint() / 1000n)): {
  readonly stop: () => readonly Blocked[];
} {
  const blocks: Blocked[] = [];
  let lastUs = nowUs();
  const tick = (): void => {
    const untilUs = nowUs();
    const fromUs = lastUs + TICK_MS * 1000;
    if (untilUs - fromUs >= LONG_MS * 1000) blocks.push({ fromUs, untilUs });
    lastUs = untilUs;
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      tick();
      return blocks;
    },
  };
}
