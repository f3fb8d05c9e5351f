// Projects: the git commit of a folder, and the DVC pipeline that makes its files.
import type { Feature } from '../../cli/feature.js';

export const projects: Feature = {
  name: 'projects',
  groups: [{ path: 'dvc', summary: 'stages and .dvc files of what DVC tracks' }],
  async provenance({ values, source, context }) {
    const { provenanceOptions } = await import('./provenance.js');
    return await provenanceOptions(values, source, context);
  },
  async afterUpload(upload) {
    const { generateDvcFiles, dvcAuto, dvcStage, dryRun } = upload.values;
    if (dryRun === true) return [];
    const outs = dvcAuto === true || dvcStage !== undefined ? await import('./dvc-outs.js') : undefined;
    const files = generateDvcFiles === true ? await import('./dvc-files.js') : undefined;
    return [await outs?.dvcOutsAfter(upload), await files?.dvcFilesAfter(upload)];
  },
};
