import { CreateBucketCommand, S3Client, PutObjectCommand, ListObjectsV2Command, HeadObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3';
const c = new S3Client({ endpoint: process.env.AWS_ENDPOINT_URL, region: process.env.AWS_REGION, forcePathStyle: true });
await c.send(new CreateBucketCommand({ Bucket: 'vvv' }));
const p = await c.send(new PutObjectCommand({Bucket:'vvv',Key:'a',Body:'xyz'}));
const h = await c.send(new HeadObjectCommand({Bucket:'vvv',Key:'a'}));
const g = await c.send(new GetObjectCommand({Bucket:'vvv',Key:'a'}));
const l = await c.send(new ListObjectsV2Command({Bucket:'vvv'}));
console.log('put',p.ETag,'head',h.ETag,h.LastModified,'get',g.ETag,'list',l.Contents);
for (let i=0;i<2;i++) { try { const g = await c.send(new PutObjectCommand({Bucket:'vvv',Key:'a',Body:'xyz2', IfMatch: i? '"nope"': p.ETag})); console.log('ifmatch', g.ETag) } catch (e) { console.log(e.name, e.message) } }
