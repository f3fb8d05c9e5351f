import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Messages, Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { ArchiverError, usageError } from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { fact, textOf } from '../../kit/lines.js';
import { writerIdFlag } from '../../kit/flags.js';

type AdoptContext = Results<'fleetagent adopt'> & Pick<Places, 'cwd' | 'home'> & Pick<Messages, 'warn'>;

export const command = defineCommand({
  path: 'fleetagent adopt',
  summary: 'answer what an agent has found: its sources are as they should be',
  description:
    'An agent tells of a source that is empty or not where it was, that was sent again, or that looks encrypted, and holds ' +
    'back what would be sent in full again, until somebody has looked. This says that its sources are as they should be: ' +
    'from its next cycle on the agent takes them as they are then, and sends what it held back. Run it on the machine of the agent, as its user; ' +
    'an agent that runs meanwhile is not disturbed. Nothing is sent anywhere. A config of a higher version is the same answer for every source.',
  args: [arg.typedUrl('S3_URL', { describe: 'base of the fleet, as the agent was given it' })],
  flags: {
    writerId: writerIdFlag,
    source: flag.repeat({
      placeholder: 'PATH',
      describe: 'only this source, as its config names it; all when not given',
    }),
  },
  rules: [{ kind: 'check', text: 'whose agent? It needs --writer-id', ok: ({ writerId }) => writerId !== '' }],
  examples: [
    'archiver fleetagent adopt s3://acme-archive/lab --writer-id nas-1',
    'archiver fleetagent adopt s3://acme-archive/lab --writer-id nas-1 --source /srv/data',
  ],
  exits: {
    0: 'the agent will take its sources as they are, or there was nothing to answer',
    1: 'no agent of this writer has run here, or its folder cannot be written',
  },
  async run({ writerId: given, source: paths }, [url], { home, warn, result }: AdoptContext) {
    const { agentMemory, agentPath } = await import('../../../core/fleet/agent/agent-memory.js');
    const { findingDocument } = await import('../../../core/fleet/heartbeat.js');
    const { fileFailure } = await import('../../../core/platform/failures/file-failure.js');
    const { writerIdOf } = await import('../../kit/dataset-target.js');
    const { baseUrlOf } = await import('../../upload/engine-options.js');
    const baseUrl = baseUrlOf(url);
    const writerId = writerIdOf(given) ?? '';
    const path = agentPath(home, { baseUrl, writerId });
    const memory = agentMemory(path, warn);
    const last = await memory.read();
    if (last === undefined)
      throw new ArchiverError(
        'not-found',
        `no agent of ${writerId} for ${printable(baseUrl)} has run with ${printable(home)}`,
        {
          hint: 'run this on the machine of the agent, as its user, with the base that it was started with',
        },
      );
    const known = last.sources.map((one) => one.path);
    const stranger = paths.find((one) => !known.includes(one));
    if (stranger !== undefined)
      throw usageError(
        `${printable(stranger)} is no source of ${writerId}`,
        `its sources: ${known.map(printable).join(', ')}`,
      );
    const isMeant = (one: string): boolean => paths.length === 0 || paths.includes(one);
    const findings = (last.findings ?? []).filter((one) => one.source !== null && isMeant(one.source));
    const sources = known.filter((one) => findings.some((finding) => finding.source === one));
    if (sources.length > 0)
      await memory.leaveAnswer({ sources }).catch((error: unknown) => {
        throw fileFailure('write', path, error);
      });
    result({ writerId, location: baseUrl, sources, writerFindings: findings.map(findingDocument) }, () =>
      textOf([
        sources.length === 0
          ? `nothing of ${writerId} waits for an answer`
          : `${writerId} takes what it has found as it is, from its next cycle on`,
        ...findings.map(({ kind, detail }) => fact(kind, printable(detail))),
      ]),
    );
  },
});
