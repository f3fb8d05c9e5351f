// Projects: the git commit of a folder, and the DVC pipeline that makes its files.
import type { Feature } from '../../cli/feature.js';
import { command as dvcExport } from './dvc/export.js';
import { command as dvcStages } from './dvc/stages.js';
import { command as dvcStatus } from './dvc/status.js';

export const projects: Feature = {
  name: 'projects',
  commands: [dvcStages, dvcStatus, dvcExport],
  groups: [{ path: 'dvc', summary: 'stages and .dvc files of what DVC tracks' }],
  async provenance({ values, source, context }) {
    const { provenanceOptions } = await import('./provenance.js');
    return await provenanceOptions(values, source, context);
  },
  async afterUpload(upload) {
    if (upload.values['generateDvcFiles'] !== true || upload.values['dryRun'] === true) return undefined;
    const { dvcFilesAfter } = await import('./dvc-files.js');
    return await dvcFilesAfter(upload);
  },
};
