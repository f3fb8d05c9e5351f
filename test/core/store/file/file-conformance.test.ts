import { link } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { openStore } from '../../../../src/core/store/open-store.js';
import { wholeStore } from '../../../support/open-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { describeConformance } from '../conformance.js';

const limits = { omits: ['slash-keys'], maxKeys: 2500 } as const;

describeConformance('file store', { ...limits, open: async () => fileStore(await tempFolder()) });

describeConformance('file store with all decorators', {
  ...limits,
  maxKeys: 1001,
  open: async () => wholeStore(await openStore(`file://${await tempFolder()}`, { env: {} })),
});

describeConformance('file store where there are no hard links', {
  ...limits,
  maxKeys: 1,
  open: async () => {
    const noLink: typeof link = () => Promise.reject(Object.assign(new Error('no links here'), { code: 'EPERM' }));
    return fileStore(await tempFolder(), { link: noLink });
  },
});

describe('file store URL', () => {
  it('is the folder', async () => {
    const folder = await tempFolder();

    expect(fileStore(folder).url).toBe(`file://${folder}`);
  });
});
