// The wizard over its store: the current step, its question, and errors.
import type { ReactElement } from 'react';
import { useStore } from 'zustand';
import { type SetupState, type Step, stepsOf } from '../../stores/setup/setup-state.js';
import type { SetupStore } from '../../stores/setup/setup-store.js';
import { HelpOverlay } from '../../ui/help-overlay.js';
import { fitByPriority } from '../../ui/fit-by-priority.js';
import { Line } from '../../ui/line.js';
import { Screen } from '../../ui/screen.js';
import { useSize } from '../../ui/size.js';
import { type Message, Status } from '../../ui/status.js';
import { Tint } from '../../ui/theme.js';
import { useKeys } from '../../ui/use-keys.js';
import { useNames } from '../use-names.js';
import { setupKeys } from './setup-keys.js';
import { StepBody } from './step-body.js';

const NAMES: Readonly<Record<Step, string>> = {
  kind: 'store',
  server: 'server',
  credentials: 'credentials',
  keys: 'keys',
  place: 'place',
  check: 'access',
  parameters: 'settings',
  test: 'test',
  review: 'file',
  done: 'done',
};

export function SetupScreen({ store }: { readonly store: SetupStore }): ReactElement {
  useKeys(() => setupKeys(store.getState()));
  const state = useStore(store);
  const names = useNames();
  const steps = stepsOf(state);
  const at = steps.indexOf(state.step);
  const keys = setupKeys(state);
  return (
    <Screen
      title="archiver setup"
      where={state.review === undefined ? '' : names(state.review.path)}
      context={`step ${at + 1} of ${steps.length}`}
      bar={<Steps steps={steps} at={at} />}
      status={<Status message={messageOf(state)} />}
      bindings={keys}
    >
      {state.isHelp ? (
        <HelpOverlay title="Keys in setup" bindings={setupKeys({ ...state, isHelp: false, do: store.getState().do })} />
      ) : (
        <StepBody state={state} />
      )}
    </Screen>
  );
}

/** All steps, with the current one in brackets; when there is no room, distant ones are left out. */
function Steps({ steps, at }: { readonly steps: readonly Step[]; readonly at: number }): ReactElement {
  const room = useSize().columns - 2;
  const all = steps.map((step, index) => ({ step, index, priority: Math.abs(index - at) }));
  const shown = fitByPriority(all, room, ({ step }) => NAMES[step].length + 2, 1);
  return (
    <Line
      left={shown.map(({ step, index }, position) => (
        <Tint key={step} tone={index === at ? 'tab' : index < at ? 'plain' : 'dim'}>
          {`${position === 0 ? '' : ' '}${index === at ? `[${NAMES[step]}]` : ` ${NAMES[step]} `}`}
        </Tint>
      ))}
    />
  );
}

function messageOf({ notice, isBusy, step }: SetupState): Message {
  if (notice !== undefined) return notice;
  if (isBusy && (step === 'check' || step === 'test')) return { text: 'working; esc stops it and goes back' };
  if (step === 'done') return { text: 'the file is written', tone: 'good' };
  return {
    text:
      step === 'review' ? 'nothing is written before enter' : 'the config file is written in the step before the last',
  };
}
