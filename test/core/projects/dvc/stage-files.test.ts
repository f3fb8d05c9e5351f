import { describe, expect, test } from 'vitest';
import { pipelineOf } from './pipeline-of.js';

describe('below the folder', () => {
  test('pipelines have the names and paths that DVC gives them', async () => {
    const { stages, outs } = await pipelineOf({
      'dvc.yaml': 'stages: {top: {cmd: x, outs: [out]}}',
      'sub/dvc.yaml':
        'stages: {each: {foreach: [a], do: {wdir: w, cmd: x, outs: ["${item}"]}}, up: {cmd: x, outs: [../shared, /abs]}}',
      'sub/dvc.lock':
        "schema: '2.0'\nstages: {each@a: {cmd: x, outs: [{path: a, md5: 0123456789abcdef0123456789abcdef, hash: md5}]}}",
    });

    expect(stages.map(({ name }) => name)).toEqual(['top', 'sub/dvc.yaml:each@a', 'sub/dvc.yaml:up']);
    expect([...outs]).toEqual([
      ['out', 'top'],
      ['sub/w/a', 'sub/dvc.yaml:each@a'],
      ['shared', 'sub/dvc.yaml:up'],
      ['/abs', 'sub/dvc.yaml:up'],
    ]);
  });

  test('.dvc files are stages without a command; an MD5 of DVC 2 says what it is', async () => {
    const md5 = '0123456789abcdef0123456789abcdef';
    const { dvcFiles } = await pipelineOf({
      'data.dvc': `wdir: in\nouts:\n- {md5: ${md5}.dir, size: 3, nfiles: 1, path: data}\n`,
      'sub/raw.dvc': `deps: [{path: 'https://example.org/raw'}]\nouts:\n- {md5: ${md5}, hash: md5, path: raw}\n`,
    });

    expect(dvcFiles).toMatchObject([
      {
        name: 'data.dvc',
        command: '',
        outs: [{ path: 'in/data', md5: `${md5}.dir`, hash: 'md5-dos2unix', size: 3, nfiles: 1 }],
      },
      { name: 'sub/raw.dvc', deps: [{ path: 'https://example.org/raw' }], outs: [{ path: 'sub/raw', md5 }] },
    ]);
    expect(dvcFiles[1]?.outs[0]).not.toHaveProperty('hash');
  });

  test('neither what DVC ignores is read, nor outputs, nor other repositories', async () => {
    const stage = 'stages: {s: {cmd: x, outs: [out]}}';
    const { stages } = await pipelineOf({
      '.dvcignore': 'old/\n',
      '.dvc/config': '',
      'dvc.yaml': stage,
      'out/dvc.yaml': stage,
      'old/dvc.yaml': stage,
      'other/.dvc/config': '',
      'other/dvc.yaml': stage,
      '.git/dvc.yaml': stage,
      'sub/dvc.yaml': stage,
    });

    expect(stages.map(({ name }) => name)).toEqual(['s', 'sub/dvc.yaml:s']);
  });

  test('a damaged file costs its own stages', async () => {
    const { stages, unread } = await pipelineOf({
      'dvc.yaml': 'stages: {s: {cmd: x}}',
      '{{name}}/dvc.yaml': 'stages: {{{name}}: [',
      'bad.dvc': 'outs: [',
    });

    expect(stages).toHaveLength(1);
    expect(unread).toEqual([expect.stringContaining('bad.dvc line 1'), expect.stringContaining('dvc.yaml line 1')]);
  });
});
