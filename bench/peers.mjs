// How each program archives a folder to the gateway and brings it back. `place` is a fresh name for every run.
import { fileURLToPath } from 'node:url';

const archiver = `node ${fileURLToPath(new URL('../dist/cli.js', import.meta.url))}`;
const rclone =
  "env -u AWS_CA_BUNDLE rclone --s3-provider Ceph --s3-env-auth --s3-endpoint $AWS_ENDPOINT_URL --s3-force-path-style --links --config ''";

export const BUCKET = 'archiver-bench';

export const peers = {
  archiver: {
    upload: (folder, place) => `${archiver} upload ${folder} s3://${BUCKET}/${place} --compression-level 3 --quiet`,
    restore: (place, output, upload) => `${archiver} restore ${upload} ${output} --all --quiet`,
  },
  restic: {
    env: { RESTIC_PASSWORD: 'bench' },
    prepare: (place) => `restic -q -r s3:$AWS_ENDPOINT_URL/${BUCKET}/${place} init`,
    upload: (folder, place) => `restic -q -r s3:$AWS_ENDPOINT_URL/${BUCKET}/${place} backup ${folder}`,
    restore: (place, output) =>
      `restic -q -r s3:$AWS_ENDPOINT_URL/${BUCKET}/${place} restore latest --target ${output}`,
  },
  tar: {
    upload: (folder, place) =>
      `tar -C ${folder} -cf - . | zstd -3 -T0 -q | aws s3 cp --quiet - s3://${BUCKET}/${place}/all.tar.zst`,
    restore: (place, output) =>
      `aws s3 cp --quiet s3://${BUCKET}/${place}/all.tar.zst - | zstd -dcq | tar -x -C ${output}`,
  },
  rclone: {
    upload: (folder, place) => `${rclone} --transfers 16 copy ${folder} :s3:${BUCKET}/${place}`,
    restore: (place, output) => `${rclone} --transfers 16 copy :s3:${BUCKET}/${place} ${output}`,
  },
};

/** Bytes stored under a place. */
export const sizeCommand = (place) =>
  `aws s3 ls --recursive --summarize s3://${BUCKET}/${place}/ | awk '/Total Size/ {print $3}'`;
/** Removes what a run left. */
export const removeCommand = (place) => `aws s3 rm --quiet --recursive s3://${BUCKET}/${place}/`;
