import { expect, test } from 'vitest';
import type { Context } from '../../../src/cli/context.js';
import { savedCommand } from '../../../src/commands/upload/saved-command.js';
import { raw } from '../../support/raw.js';

test('how a run is watched is not saved with it: another run may be watched otherwise', async () => {
  const values = {
    compressionLevel: 3,
    prometheusAddr: 'localhost:9464',
    tracing: true,
    tracingExporter: 'otlp',
    tracingEndpoint: 'http://user:secret@collector:4318',
    tracingSampleRate: 0.5,
  };
  const run = {
    command: 'upload',
    values,
    sources: [{ given: '/data', real: raw('/data') }],
    destination: 'file:///store',
    storeUrl: 'file:///store',
  };
  const context = { cwd: '/', env: {}, origins: {} } as unknown as Context;

  expect((await savedCommand(run, context)).flags).toEqual({ compressionLevel: 3 });
});
