// A small S3 server in this process, for tests that need the real SDK over HTTP and no server installed. It checks bodies against
// `x-amz-content-sha256` and knows conditions, ranges, pages, multipart and cold objects. It checks no signatures: real servers do.
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { BucketVersions } from './memory-versions.js';
import { operationOf } from './s3-operation.js';
import { element, tagValues } from './s3-xml.js';

export interface MemoryObject {
  body: Buffer;
  etag: string;
  modified: Date;
  headers: Record<string, string>;
  /** The value of `x-amz-restore`. */
  restore?: string;
  /** The archive tier that INTELLIGENT_TIERING has moved it to. */
  archiveTier?: string;
}

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly startedAt: Date;
  /** Sizes by number. */
  readonly parts: Map<number, number>;
}

export interface Call {
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

export interface SeenRequest {
  readonly operation: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface MemoryS3 {
  readonly endpoint: string;
  readonly buckets: Map<string, Map<string, MemoryObject>>;
  readonly requests: SeenRequest[];
  /** Full keys that an object lock protects: deleting a version of them is denied. */
  readonly locked: Set<string>;
  /** Buckets with Object Lock. */
  readonly lockable: Set<string>;
  /** How the server deals with cold objects; tests change it as they go. */
  readonly cold: ColdRules;
  /** What the server makes of If-None-Match; tests change it as they go. */
  readonly conditions: { ifNoneMatch: IfNoneMatch };
  /** What the server answers in place of its own answer; tests change it as they go. */
  readonly rules: {
    answer?: (operation: string, call: Call) => Answer | undefined;
    /** What its clock says; it stands still there. */
    date?: Date;
  };
  /** Lifecycle configurations by bucket, as XML. */
  readonly lifecycles: Map<string, string>;
  /** From now on the bucket keeps versions. */
  keepVersions(bucket: string): void;
  close(): Promise<void>;
}

/**
 * `ignored`: as by a proxy that drops the header; `unknown`: it answers 501; `in a row`: it looks, and writes later; `busy`: rivals
 * are told 409 first, as AWS may.
 */
export type IfNoneMatch = 'kept' | 'ignored' | 'unknown' | 'in a row' | 'busy';

export interface ColdRules {
  /** Full keys of which a restore is denied. */
  readonly denied: Set<string>;
  /** From so many restores on there is no expedited capacity. */
  expeditedCapacity: number;
  /** Listings have the restore status, as those of AWS do. */
  isListed: boolean;
  /** False: the server has no RestoreObject. */
  canRestore: boolean;
  /** False: classes are labels, and what is called cold is given all the same, as Ceph's gateway does. */
  isFrozen: boolean;
}

const COLD = new Set(['GLACIER', 'DEEP_ARCHIVE']);
const KEPT_HEADERS =
  /^(x-amz-meta-.*|x-amz-storage-class|x-amz-server-side-encryption.*|x-amz-tagging|x-amz-object-lock-.*|content-type)$/;
export const LOCK_MODE = 'x-amz-object-lock-mode';
export const LOCKED_UNTIL = 'x-amz-object-lock-retain-until-date';
const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>';

const md5 = (data: Buffer): string => createHash('md5').update(data).digest('hex');
const xml = (name: string, inner: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `${XML_HEAD}<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${name}>`,
});

/** An answer that carries an S3 error. */
export const errorAnswer = (status: number, code: string, message = code): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `${XML_HEAD}<Error>${element('Code', code)}${element('Message', message)}</Error>`,
});

const keptHeaders = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (KEPT_HEADERS.test(name) ? [[name, String(value)]] : [])),
  );

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Until when the readable copy of a cold object stays. */
function expiryOf({ restore = '' }: MemoryObject): Date | undefined {
  const text = /expiry-date="([^"]+)"/.exec(restore)?.[1];
  return text === undefined ? undefined : new Date(text);
}

const isCold = ({ headers, archiveTier }: MemoryObject): boolean =>
  archiveTier !== undefined || COLD.has(headers['x-amz-storage-class'] ?? '');

const isThawed = (object: MemoryObject): boolean =>
  object.restore?.includes('"false"') === true && (expiryOf(object)?.getTime() ?? Number.MAX_VALUE) > Date.now();

/** The whole body, or the range of it that a header asks for. */
function ranged(body: Buffer, header: string | undefined, headers: Record<string, string>): Answer {
  const range = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!range) return { status: 200, headers, body };
  const size = body.length;
  const start = range[1] === '' ? Math.max(0, size - Number(range[2])) : Number(range[1]);
  const end = range[1] === '' || range[2] === '' ? size : Math.min(size, Number(range[2]) + 1);
  if (start >= end) return errorAnswer(416, 'InvalidRange');
  const contentRange = `bytes ${start}-${end - 1}/${size}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, body: body.subarray(start, end) };
}

interface Listing {
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
  /** `after` came with a page before: what was folded into it is done. A start-after knows nothing of folding. */
  readonly isToken: boolean;
}

/** The first 1001 lines of a listing: keys with their objects, folded folders without. */
function linesOf(
  bucket: ReadonlyMap<string, MemoryObject>,
  { prefix, delimiter, after, isToken }: Listing,
): [string, MemoryObject | undefined][] {
  const lines = new Map<string, MemoryObject | undefined>();
  for (const [key, object] of [...bucket].sort(([a], [b]) => byBytes(a, b))) {
    if (!key.startsWith(prefix) || byBytes(key, after) <= 0) continue;
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const line = cut < 0 ? key : key.slice(0, cut + 1);
    const isContinued = isToken && line.endsWith('/') && after === line;
    if (!isContinued) lines.set(line, cut < 0 ? object : undefined);
    if (lines.size > 1000) break;
  }
  return [...lines];
}

const pageKeysOf = (query: URLSearchParams): number => Math.min(1000, Number(query.get('max-keys') ?? 1000));

const copiedKey = (headers: http.IncomingHttpHeaders): string =>
  decodeURIComponent(String(headers['x-amz-copy-source'])).replace(/^\//, '').split('/').slice(1).join('/');

class Server {
  readonly buckets = new Map<string, Map<string, MemoryObject>>();
  readonly uploads = new Map<string, Upload>();
  readonly locked = new Set<string>();
  readonly lockable = new Set<string>();
  readonly lifecycles = new Map<string, string>();
  readonly cold: ColdRules = {
    denied: new Set(),
    expeditedCapacity: Number.POSITIVE_INFINITY,
    isListed: true,
    canRestore: true,
    isFrozen: true,
  };
  readonly #versions = new WeakMap<Map<string, MemoryObject>, BucketVersions>();

  versionsOf(bucket: Map<string, MemoryObject>): BucketVersions {
    const versions = this.#versions.get(bucket) ?? new BucketVersions(bucket);
    this.#versions.set(bucket, versions);
    return versions;
  }

  handle(operation: string, call: Call): Answer {
    const bucket = this.buckets.get(call.bucket);
    if (operation === 'CreateBucket') return (this.buckets.set(call.bucket, bucket ?? new Map()), { status: 200 });
    if (!bucket) return errorAnswer(404, 'NoSuchBucket', 'The specified bucket does not exist');
    const sum = call.headers['x-amz-content-sha256'];
    if (
      typeof sum === 'string' &&
      /^[0-9a-f]{64}$/.test(sum) &&
      sum !== createHash('sha256').update(call.body).digest('hex')
    ) {
      return errorAnswer(400, 'XAmzContentSHA256Mismatch');
    }
    return this.#bucketCall(operation, bucket, call) ?? this.#objectCall(operation, bucket, call);
  }

  #bucketCall(operation: string, bucket: Map<string, MemoryObject>, call: Call): Answer | undefined {
    switch (operation) {
      case 'HeadBucket':
        return { status: 200, headers: { 'x-amz-bucket-region': 'us-east-1' } };
      case 'ListObjects':
      case 'ListObjectsV2':
        return this.#list(bucket, call, operation === 'ListObjectsV2');
      case 'ListMultipartUploads':
        return this.#listUploads(call);
      case 'DeleteObjects':
        return xml('DeleteResult', this.#deleteAll(bucket, call.body.toString()));
      case 'ListObjectVersions':
        return this.#listVersions(bucket, call.query);
      case 'GetObjectLockConfiguration':
        return this.lockable.has(call.bucket)
          ? xml('ObjectLockConfiguration', element('ObjectLockEnabled', 'Enabled'))
          : errorAnswer(404, 'ObjectLockConfigurationNotFoundError');
      case 'GetBucketVersioning':
        return xml('VersioningConfiguration', this.versionsOf(bucket).isKept ? element('Status', 'Enabled') : '');
      case 'GetBucketEncryption':
        return errorAnswer(404, 'ServerSideEncryptionConfigurationNotFoundError');
      case 'GetBucketLifecycleConfiguration':
      case 'PutBucketLifecycleConfiguration':
      case 'DeleteBucketLifecycle':
        return this.#lifecycle(operation, call);
      default:
        return undefined;
    }
  }

  #lifecycle(operation: string, { bucket, body }: Call): Answer {
    if (operation.startsWith('Put')) this.lifecycles.set(bucket, body.toString());
    if (operation.startsWith('Delete')) this.lifecycles.delete(bucket);
    if (!operation.startsWith('Get')) return { status: 200 };
    const found = this.lifecycles.get(bucket);
    if (found === undefined) return errorAnswer(404, 'NoSuchLifecycleConfiguration');
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: found };
  }

  #objectCall(operation: string, bucket: Map<string, MemoryObject>, call: Call): Answer {
    switch (operation) {
      case 'PutObject':
        return this.#put(bucket, call);
      case 'CopyObject':
        return this.#copy(bucket, call);
      case 'DeleteObject':
        return this.#delete(bucket, call);
      case 'PutObjectRetention':
        return this.#retain(bucket.get(call.key), call);
      case 'GetObjectRetention':
        return errorAnswer(404, 'NoSuchObjectLockConfiguration'); // asked for what HEAD shows to be unlocked
      case 'RestoreObject':
        return this.#restore(bucket.get(call.key), call);
      case 'CreateMultipartUpload':
        return this.#create(call);
      case 'AbortMultipartUpload':
        return this.#abort(call);
      case 'UploadPart':
        return this.#uploadPart(call);
      case 'UploadPartCopy':
        return this.#copyPart(bucket, call);
      case 'ListParts':
        return this.#listParts(call);
      default:
        return this.#get(bucket.get(call.key), call, operation === 'HeadObject');
    }
  }

  #retain(found: MemoryObject | undefined, { body }: Call): Answer {
    if (!found) return errorAnswer(404, 'NoSuchKey');
    const [mode = ''] = tagValues(body.toString(), 'Mode');
    const [until = ''] = tagValues(body.toString(), 'RetainUntilDate');
    Object.assign(found.headers, { [LOCK_MODE]: mode, [LOCKED_UNTIL]: until });
    return { status: 200 };
  }

  #delete(bucket: Map<string, MemoryObject>, { key, query }: Call): Answer {
    const versionId = query.get('versionId');
    if (versionId === null) this.versionsOf(bucket).delete(key);
    else if (this.locked.has(key)) return errorAnswer(403, 'AccessDenied');
    else this.versionsOf(bucket).deleteVersion(key, versionId);
    return { status: 204 };
  }

  /** Gives the errors. */
  #deleteAll(bucket: Map<string, MemoryObject>, body: string): string {
    const errors = [...body.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, object = '']) => {
      const [key = ''] = tagValues(object, 'Key');
      const [versionId] = tagValues(object, 'VersionId');
      if (versionId === undefined) this.versionsOf(bucket).delete(key);
      else if (this.locked.has(key))
        return `<Error>${element('Key', key)}${element('VersionId', versionId)}${element('Code', 'AccessDenied')}</Error>`;
      else this.versionsOf(bucket).deleteVersion(key, versionId);
      return '';
    });
    return errors.join('');
  }

  #listVersions(bucket: Map<string, MemoryObject>, query: URLSearchParams): Answer {
    const isEncoded = query.get('encoding-type') === 'url';
    const encode = isEncoded ? encodeURIComponent : (text: string): string => text;
    const [keyMarker, idMarker] = [query.get('key-marker') ?? '', query.get('version-id-marker') ?? ''];
    const all = this.versionsOf(bucket).list(query.get('prefix') ?? '');
    const marked = all.findIndex(({ key, versionId }) => key === keyMarker && versionId === idMarker);
    const after = all.findIndex(({ key }) => byBytes(key, keyMarker) > 0);
    const start = marked >= 0 ? marked + 1 : after < 0 ? all.length : after;
    const shown = all.slice(start, start + 1000);
    const last = shown.at(-1);
    const isTruncated = start + shown.length < all.length;
    const next =
      isTruncated && last !== undefined
        ? element('NextKeyMarker', encode(last.key)) + element('NextVersionIdMarker', last.versionId)
        : '';
    const lines = shown.map(({ key, versionId, object, isLatest }) => {
      const name =
        element('Key', encode(key)) + element('VersionId', versionId) + element('IsLatest', String(isLatest));
      return object === undefined
        ? `<DeleteMarker>${name}</DeleteMarker>`
        : `<Version>${name}${element('Size', object.body.length)}${element('LastModified', object.modified.toISOString())}${element('StorageClass', object.headers['x-amz-storage-class'] ?? 'STANDARD')}</Version>`;
    });
    const encoding = isEncoded ? element('EncodingType', 'url') : '';
    return xml('ListVersionsResult', element('IsTruncated', String(isTruncated)) + encoding + next + lines.join(''));
  }

  #put(bucket: Map<string, MemoryObject>, { key, headers, body }: Call): Answer {
    const found = bucket.get(key);
    if (headers['if-none-match'] === '*' && found) return errorAnswer(412, 'PreconditionFailed');
    const match = headers['if-match']?.replaceAll('"', '');
    if (match !== undefined && !found) return errorAnswer(404, 'NoSuchKey');
    if (match !== undefined && match !== found?.etag) return errorAnswer(412, 'PreconditionFailed');
    const etag = md5(body);
    const kept = keptHeaders(headers);
    const versionId = this.versionsOf(bucket).put(key, { body, etag, modified: new Date(), headers: kept });
    const encryption = kept['x-amz-server-side-encryption'];
    return {
      status: 200,
      headers: {
        etag: `"${etag}"`,
        ...(versionId !== undefined && { 'x-amz-version-id': versionId }),
        ...(encryption !== undefined && { 'x-amz-server-side-encryption': encryption }),
      },
    };
  }

  #copy(bucket: Map<string, MemoryObject>, { key, headers }: Call): Answer {
    const found = bucket.get(copiedKey(headers));
    if (!found) return errorAnswer(404, 'NoSuchKey');
    this.versionsOf(bucket).put(key, {
      body: found.body,
      etag: found.etag,
      modified: new Date(),
      headers: { ...found.headers, ...keptHeaders(headers) },
    });
    return xml(
      'CopyObjectResult',
      element('ETag', `"${found.etag}"`) + element('LastModified', new Date().toISOString()),
    );
  }

  #restore(found: MemoryObject | undefined, { key, body }: Call): Answer {
    if (!this.cold.canRestore) return errorAnswer(501, 'NotImplemented');
    if (this.cold.denied.has(key)) return errorAnswer(403, 'AccessDenied');
    if (!found) return errorAnswer(404, 'NoSuchKey');
    const storageClass = found.headers['x-amz-storage-class'] ?? '';
    const isExpedited = tagValues(body.toString(), 'Tier').includes('Expedited');
    if (!isCold(found)) return errorAnswer(403, 'InvalidObjectState');
    // What is tiered comes back for good.
    if ((found.archiveTier === undefined) !== tagValues(body.toString(), 'Days').length > 0)
      return errorAnswer(400, 'InvalidArgument');
    if (isExpedited && storageClass === 'DEEP_ARCHIVE') return errorAnswer(400, 'InvalidArgument');
    if (found.restore?.includes('"true"') === true) return errorAnswer(409, 'RestoreAlreadyInProgress');
    if (isThawed(found)) return { status: 200 };
    if (isExpedited && this.cold.expeditedCapacity-- < 1)
      return errorAnswer(503, 'GlacierExpeditedRetrievalNotAvailable');
    found.restore = 'ongoing-request="true"';
    return { status: 202 };
  }

  #get(found: MemoryObject | undefined, { headers }: Call, isHead: boolean): Answer {
    if (!found) return errorAnswer(404, 'NoSuchKey');
    const match = headers['if-match'];
    if (match !== undefined && match.replaceAll('"', '') !== found.etag) return errorAnswer(412, 'PreconditionFailed');
    const common: Record<string, string> = {
      ...found.headers,
      etag: `"${found.etag}"`,
      'last-modified': found.modified.toUTCString(),
      ...(found.restore === undefined ? {} : { 'x-amz-restore': found.restore }),
    };
    if (isHead && found.archiveTier !== undefined) common['x-amz-archive-status'] = found.archiveTier;
    if (isHead) return { status: 200, headers: { ...common, 'content-length': String(found.body.length) } };
    if (this.cold.isFrozen && isCold(found) && !isThawed(found)) {
      return errorAnswer(403, 'InvalidObjectState');
    }
    return ranged(found.body, headers.range, common);
  }

  #list(bucket: Map<string, MemoryObject>, { query, headers }: Call, isV2: boolean): Answer {
    const withStatus = this.cold.isListed && headers['x-amz-optional-object-attributes'] === 'RestoreStatus';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? query.get('marker') ?? '';
    const isEncoded = query.get('encoding-type') === 'url';
    const encode = isEncoded ? encodeURIComponent : (text: string): string => text;
    const lines = linesOf(bucket, {
      prefix: query.get('prefix') ?? '',
      delimiter: query.get('delimiter') ?? '',
      after,
      isToken: !query.has('start-after') || query.has('continuation-token'),
    });
    const maxKeys = pageKeysOf(query);
    const isTruncated = lines.length > maxKeys;
    const shown = lines.slice(0, maxKeys);
    const inner = shown.map(([line, object]) =>
      object
        ? this.#contents(encode(line), object, withStatus)
        : `<CommonPrefixes>${element('Prefix', encode(line))}</CommonPrefixes>`,
    );
    const last = shown.at(-1)?.[0] ?? '';
    const next = isTruncated ? element(isV2 ? 'NextContinuationToken' : 'NextMarker', isV2 ? last : encode(last)) : '';
    const encoding = isEncoded ? element('EncodingType', 'url') : '';
    return xml('ListBucketResult', element('IsTruncated', String(isTruncated)) + encoding + next + inner.join(''));
  }

  #contents(key: string, object: MemoryObject, withStatus: boolean): string {
    const isInProgress = object.restore?.includes('"true"') ?? false;
    const expiry = expiryOf(object);
    const until = expiry === undefined ? '' : element('RestoreExpiryDate', expiry.toISOString());
    const status = `<RestoreStatus>${element('IsRestoreInProgress', String(isInProgress))}${until}</RestoreStatus>`;
    const restore = object.restore === undefined || !withStatus ? '' : status;
    const fields = [
      element('Key', key),
      element('Size', object.body.length),
      element('ETag', `"${object.etag}"`),
      element('LastModified', object.modified.toISOString()),
      element('StorageClass', object.headers['x-amz-storage-class'] ?? 'STANDARD'),
    ];
    return `<Contents>${fields.join('')}${restore}</Contents>`;
  }

  #create({ bucket, key }: Call): Answer {
    const id = randomBytes(8).toString('hex');
    this.uploads.set(id, { bucket, key, startedAt: new Date(), parts: new Map() });
    return xml('InitiateMultipartUploadResult', element('UploadId', id));
  }

  #uploadPart({ key, query, body }: Call): Answer {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload?.key !== key) return errorAnswer(404, 'NoSuchUpload');
    upload.parts.set(Number(query.get('partNumber')), body.length);
    return { status: 200, headers: { etag: `"${md5(body)}"` } };
  }

  #copyPart(bucket: Map<string, MemoryObject>, { key, query, headers }: Call): Answer {
    const [upload, found] = [this.uploads.get(query.get('uploadId') ?? ''), bucket.get(copiedKey(headers))];
    if (upload?.key !== key || !found) return errorAnswer(404, upload?.key === key ? 'NoSuchKey' : 'NoSuchUpload');
    upload.parts.set(Number(query.get('partNumber')), found.body.length);
    return xml('CopyPartResult', element('ETag', `"${found.etag}"`));
  }

  /** Two parts a page. */
  #listParts({ key, query }: Call): Answer {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload?.key !== key) return errorAnswer(404, 'NoSuchUpload');
    const marker = Number(query.get('part-number-marker') ?? 0);
    const parts = [...upload.parts].filter(([number]) => number > marker).sort(([a], [b]) => a - b);
    const shown = parts.slice(0, 2);
    const isTruncated = parts.length > shown.length;
    const next = isTruncated ? element('NextPartNumberMarker', shown.at(-1)?.[0] ?? 0) : '';
    const lines = shown.map(
      ([number, size]) => `<Part>${element('PartNumber', number)}${element('Size', size)}</Part>`,
    );
    return xml('ListPartsResult', element('IsTruncated', String(isTruncated)) + next + lines.join(''));
  }

  #abort({ key, query }: Call): Answer {
    const id = query.get('uploadId') ?? '';
    if (this.uploads.get(id)?.key !== key) return errorAnswer(404, 'NoSuchUpload');
    this.uploads.delete(id);
    return { status: 204 };
  }

  #listUploads({ bucket, query }: Call): Answer {
    const prefix = query.get('prefix') ?? '';
    const lines = [...this.uploads]
      .filter(([, upload]) => upload.bucket === bucket && upload.key.startsWith(prefix))
      .map(
        ([id, upload]) =>
          `<Upload>${element('Key', encodeURIComponent(upload.key))}${element('UploadId', id)}${element('Initiated', upload.startedAt.toISOString())}</Upload>`,
      );
    return xml(
      'ListMultipartUploadsResult',
      element('IsTruncated', 'false') + element('EncodingType', 'url') + lines.join(''),
    );
  }
}

/** What becomes of a PUT with If-None-Match. */
function conditionalPuts(
  s3: Server,
  conditions: MemoryS3['conditions'],
): (call: Call, wasThere: boolean) => Promise<Answer> {
  const underWay = new Set<string>();
  return async (call, wasThere) => {
    const { 'if-none-match': _, ...without } = call.headers;
    const anyway = { ...call, headers: without };
    const { ifNoneMatch } = conditions;
    if (ifNoneMatch === 'ignored') return s3.handle('PutObject', anyway);
    if (ifNoneMatch === 'unknown') return errorAnswer(501, 'NotImplemented');
    // It looks when the request begins, and puts when the body has come.
    if (ifNoneMatch === 'in a row') return s3.handle('PutObject', wasThere ? call : anyway);
    if (ifNoneMatch === 'busy') {
      // Of a key that is there it says so.
      if (s3.buckets.get(call.bucket)?.has(call.key) === true) return s3.handle('PutObject', call);
      if (underWay.has(call.key)) return errorAnswer(409, 'ConditionalRequestConflict');
      underWay.add(call.key);
      await new Promise((resolve) => void setTimeout(resolve, 20));
      underWay.delete(call.key);
    }
    return s3.handle('PutObject', call);
  };
}

async function readBody(request: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Starts a server that has these buckets. */
export async function startMemoryS3(...bucketNames: readonly string[]): Promise<MemoryS3> {
  const s3 = new Server();
  for (const name of bucketNames) s3.buckets.set(name, new Map());
  const requests: SeenRequest[] = [];
  const conditions: MemoryS3['conditions'] = { ifNoneMatch: 'kept' };
  const conditional = conditionalPuts(s3, conditions);
  const rules: MemoryS3['rules'] = {};
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/', headers } = request;
    const operation = operationOf(method, path, headers);
    requests.push({ operation, path, headers });
    const url = new URL(path, 'http://localhost');
    const [bucket = '', ...rest] = path.split('?')[0]?.slice(1).split('/') ?? [];
    const key = decodeURIComponent(rest.join('/'));
    const wasThere = s3.buckets.get(bucket)?.has(key) === true;
    const call = { bucket, key, query: url.searchParams, headers, body: await readBody(request) };
    const isConditional = operation === 'PutObject' && headers['if-none-match'] !== undefined;
    const own = (): Answer | Promise<Answer> =>
      isConditional ? conditional(call, wasThere) : s3.handle(operation, call);
    const answered = rules.answer?.(operation, call) ?? (await own());
    const { status, headers: extra = {}, body = '' } = answered;
    const length = extra['content-length'] ?? String(Buffer.byteLength(body));
    const date = rules.date === undefined ? {} : { date: rules.date.toUTCString() };
    response.writeHead(status, { ...date, ...extra, 'content-length': length });
    response.end(method === 'HEAD' ? undefined : body);
  };
  const server = http.createServer(
    (request, response) => void answer(request, response).catch(() => request.socket.destroy()),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const keepVersions = (name: string): void => {
    const bucket = s3.buckets.get(name);
    if (bucket) s3.versionsOf(bucket).keep();
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    buckets: s3.buckets,
    requests,
    locked: s3.locked,
    lockable: s3.lockable,
    cold: s3.cold,
    conditions,
    rules,
    lifecycles: s3.lifecycles,
    keepVersions,
    close,
  };
}
