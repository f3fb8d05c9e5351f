import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { providerFlag } from './provider-flag.js';
import { saveText } from '../../kit/save-text.js';

export const command = defineCommand({
  path: 'fleetagent iam-policy',
  summary: 'print an IAM policy for writers',
  description:
    'The least that a writer needs: to put objects below writers/ID/, to list them, to read its own configuration, and to read back, which lets ' +
    'it do without a local cache. Deleting its objects is denied whoever else grants it. ' +
    'Nothing is sent anywhere. `fleetagent init` makes a whole bundle.',
  args: [arg.url('S3_URL', { describe: 'base of the fleet: the bucket, and the prefix above writers/' })],
  flags: {
    writerId: flag.text({
      placeholder: 'ID',
      default: '',
      allowEmpty: true,
      describe: 'the writer; without it, or with an empty one, the policy is for everything below the base',
    }),
    kmsKeyArn: flag.text({
      placeholder: 'ARN',
      describe: 'allow to encrypt with this KMS key, and to decrypt unless --write-only is given',
    }),
    writeOnly: flag.on({
      describe: 'nothing can be read back: a sync then compares with its cache, and sends everything when that is lost',
    }),
    objectLock: flag.on({
      describe: 'allow to lock objects (S3 Object Lock), for as long as the writer likes, and never to unlock them',
    }),
    ...providerFlag('whose policies it is for; aws when not given. '),
    region: flag.text({
      short: 'r',
      placeholder: 'NAME',
      default: 'us-west-2',
      describe: 'region of the bucket: ARNs in China and GovCloud are others',
    }),
    output: flag.fileOrStream({ short: 'o', placeholder: 'FILE', describe: 'write it to this file instead' }),
  },
  examples: [
    'archiver fleetagent iam-policy s3://acme-archive/lab --writer-id nas-01 --write-only',
    'archiver fleetagent iam-policy s3://acme-archive/lab --writer-id nas-01 --write-only --provider minio',
    'archiver fleetagent iam-policy s3://acme-archive/lab -o readers-and-writers.json',
  ],
  exits: { 0: 'printed or written', 1: 'the file cannot be written' },
  async run(values, [url], context: Results<'fleetagent iam-policy'> & Pick<Places, 'cwd'>) {
    const { checkKeyArn, checkRegion, fleetPlace, partitionOf } =
      await import('../../../core/fleet/bundle/fleet-place.js');
    const { policyLines, policyText } = await import('../../../core/fleet/bundle/policy-document.js');
    const { storeServer } = await import('../../../core/fleet/bundle/store-server.js');
    const { writerPolicy } = await import('../../../core/fleet/bundle/writer-policy.js');
    const { namedWriter } = await import('../writer.js');
    const { kmsKeyArn, output, writeOnly, objectLock: locks } = values;
    const place = fleetPlace(url);
    const server = storeServer(values.provider, { kmsKeyArn });
    const partition = partitionOf(checkRegion(values.region), server);
    const writerId = values.writerId === '' ? undefined : namedWriter(values.writerId);
    const policy = writerPolicy(place, {
      writerId,
      partition,
      kmsKeyArn: kmsKeyArn === undefined ? undefined : checkKeyArn(kmsKeyArn, partition),
      writeOnly,
      locks,
      server,
    });
    policyText(policy); // refuses a policy that IAM would not accept
    const document = { location: place.url, policy };
    const { text, about } = await saveText({ document, text: policyLines(policy), output }, context);
    context.result({ ...document, ...about }, () => text);
    return 0;
  },
});
