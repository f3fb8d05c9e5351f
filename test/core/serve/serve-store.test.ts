// A store of objects in memory, served over HTTP to a client that reads it.
import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ArchiverError } from '../../../src/core/platform/failures/errors.js';
import { serveStore, type ServedRequest, type ServeOptions } from '../../../src/core/serve/serve-store.js';
import { type ArchiveSpec, type FileSpec, md5 } from '../../support/make-archive.js';
import { DATASET, makeDataset } from '../../support/make-dataset.js';
import { type Bent, memoryReader } from '../../support/memory-reader.js';

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const LATEST = `/by-dataset/${DATASET}/latest`;
const HOSTILE = '<img src=x onerror="alert(1)">&\u202e';

async function serving(
  files: readonly FileSpec[],
  { bent, bend, ...more }: Partial<ServeOptions> & { bent?: Bent; bend?: ArchiveSpec['bend'] } = {},
) {
  const made = makeDataset([{ files, ...(bend && { bend }) }]);
  const reader = memoryReader(made.objects, bent);
  const warnings: string[] = [];
  const answered: ServedRequest[] = [];
  let clock = 0;
  const server = await serveStore({
    reader,
    address: { host: '127.0.0.1', port: 0 },
    flag: '--listen',
    isWebdav: true,
    token: undefined,
    title: 'memory:',
    mayFetch: () => undefined,
    coldText: () => Promise.resolve('$1, and how'),
    now: () => clock,
    signal: new AbortController().signal,
    onRequest: (request) => void answered.push(request),
    onBytes: () => undefined,
    warn: (text) => void warnings.push(text),
    ...more,
  });
  onTestFinished(() => server.close());
  const ask = (path: string, { method = 'GET', body = '', ...headers }: Record<string, string> = {}): Promise<Got> =>
    new Promise((resolve, reject) => {
      const [host, port] = server.at.split(':');
      const asking = httpRequest({ host, port, path, method, headers }, (response) => {
        const { statusCode: status = 0, headers: got } = response;
        buffer(response).then((bytes) => resolve({ status, headers: got, body: bytes }), reject);
      });
      asking.on('error', reject);
      asking.end(body);
    });
  return { ask, reader, made, warnings, answered, later: (ms: number) => void (clock += ms) };
}

describe('a served store', () => {
  it('has every version below its dataset and below the day on which it was made', async () => {
    const { ask } = await serving([{ path: 'a/b.txt', content: 'hello' }]);
    for (const folder of [LATEST, `/by-dataset/${DATASET}/v0001`, `/by-date/2026-03-01/${DATASET}-v1`]) {
      const { status, headers, body } = await ask(`${folder}/a/b.txt`);
      expect([status, body.toString(), headers.etag]).toEqual([200, 'hello', `"${md5('hello')}"`]);
    }
    const page = async (path: string): Promise<string> => (await ask(path)).body.toString();
    expect(await page('/')).toContain('href="by-dataset/"');
    expect(await page(`/by-dataset/${DATASET}/`)).toContain('latest/</a> <span class="d">→ v0001');
    expect(await page('/by-date/')).toContain('href="2026-03-01/"');
    expect(await page(`${LATEST}/`)).toContain('href="a/"');
    for (const path of ['/x', '/by-dataset/x/', `/by-dataset/${DATASET}/v2/`, '/by-date/2026-03-02/', `${LATEST}/a/c`])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    expect((await ask(`${LATEST}/a`)).headers.location).toBe(`${LATEST}/a/`);
    expect((await ask(`${LATEST}/a/b.txt/`)).headers.location).toBe(`${LATEST}/a/b.txt`);
  });

  it('fetches a frame once for a hundred small ranges of it', async () => {
    const content = randomBytes(60_000);
    const { ask, reader } = await serving([{ path: 'a', content }]);
    await ask(`${LATEST}/a`, { method: 'HEAD' });
    const before = reader.requests.get;

    for (let at = 0; at < 100; at++) {
      const start = at * 512;
      const { status, body } = await ask(`${LATEST}/a`, { range: `bytes=${start}-${start + 511}` });
      expect([status, body.equals(content.subarray(start, start + 512))]).toEqual([206, true]);
    }

    expect(reader.requests.get - before).toBe(1);
  });

  it('shows a new version within seconds', async () => {
    const { ask, made, later } = await serving([{ path: 'a', content: 'one' }]);
    expect((await ask(`${LATEST}/a`)).body.toString()).toBe('one');
    const next = makeDataset([{ files: [{ path: 'a', content: 'one' }] }, { files: [{ path: 'a', content: 'two' }] }]);
    for (const [key, bytes] of next.objects) made.objects.set(key, bytes);

    later(9_000);
    expect((await ask(`${LATEST}/a`)).body.toString()).toBe('one');
    later(1_000);
    expect((await ask(`${LATEST}/a`)).body.toString()).toBe('two');
    expect((await ask(`/by-dataset/${DATASET}/v0001/a`)).body.toString()).toBe('one');
  });

  it('answers ranges and conditions', async () => {
    const content = randomBytes(20_000);
    const { ask, answered } = await serving([{ path: 'x', content }]);
    const part = await ask(`${LATEST}/x`, { range: 'bytes=100-199' });
    expect([part.status, part.headers['content-range'], part.body.equals(content.subarray(100, 200))]).toEqual([
      206,
      'bytes 100-199/20000',
      true,
    ]);
    expect((await ask(`${LATEST}/x`, { range: 'bytes=20000-' })).headers['content-range']).toBe('bytes */20000');
    expect((await ask(`${LATEST}/x`, { range: 'bytes=0-1', 'if-range': '"other"' })).body.length).toBe(20_000);
    const known = await ask(`${LATEST}/x`, { 'if-none-match': part.headers.etag ?? '' });
    expect([known.status, known.body.length]).toEqual([304, 0]);
    const head = await ask(`${LATEST}/x`, { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '20000', 0]);
    await expect.poll(() => answered.length).toBe(5);
    expect(answered[0]).toEqual({ method: 'GET', path: `${LATEST}/x`, status: 206, isWhole: true });
  });

  it('only reads', async () => {
    const { ask } = await serving([{ path: 'x', content: 'x' }]);
    for (const method of ['PUT', 'DELETE', 'POST', 'MKCOL', 'MOVE', 'LOCK', 'PROPPATCH']) {
      const { status, headers } = await ask(`${LATEST}/x`, { method, body: 'some', 'content-length': '4' });
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD, OPTIONS, PROPFIND']);
    }
    const { headers } = await ask('/', { method: 'OPTIONS' });
    expect([headers['dav'], headers.allow]).toEqual(['1', 'GET, HEAD, OPTIONS, PROPFIND']);
    const plain = await serving([{ path: 'x', content: 'x' }], { isWebdav: false });
    expect((await plain.ask('/', { method: 'PROPFIND', depth: '0' })).status).toBe(405);
    expect((await plain.ask('/', { method: 'OPTIONS' })).headers['dav']).toBeUndefined();
  });

  it('sorts a folder as it is asked to', async () => {
    const { ask } = await serving([
      { path: 'a', content: '333', mtime: '2020-01-02T00:00:00.000000000Z' },
      { path: 'b', content: '1', mtime: '2020-01-03T00:00:00.000000000Z' },
      { path: 'c', content: '22', mtime: '2020-01-01T00:00:00.000000000Z' },
    ]);
    const order = async (query: string): Promise<string> =>
      Array.from(
        (await ask(`${LATEST}/${query}`)).body.toString().matchAll(/href="([a-c])"/g),
        ([, name]) => name,
      ).join('');
    expect(await order('')).toBe('abc');
    expect(await order('?sort=name&order=desc')).toBe('cba');
    expect(await order('?sort=size')).toBe('bca');
    expect(await order('?sort=time&order=desc')).toBe('bac');
  });
});

describe('what an archive may try', () => {
  it('gets no name into a page but as text', async () => {
    const { ask } = await serving([{ path: HOSTILE, content: '<script>1</script>' }]);
    const { body, headers } = await ask(`${LATEST}/`);
    const page = body.toString();

    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;\\xe2\\x80\\xae');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const [, href = ''] = /href="(%3C[^"]*)"/.exec(page) ?? [];
    expect((await ask(`${LATEST}/${href}`)).body.toString()).toBe('<script>1</script>');
    const dav = (await ask(`${LATEST}/`, { method: 'PROPFIND', depth: '1' })).body.toString();
    expect(dav).not.toContain('<img');
  });

  it('gets no page of its own to run, nor to be taken for another kind', async () => {
    const { ask } = await serving([{ path: 'x.html', content: '<script>1</script>' }]);
    const { headers } = await ask(`${LATEST}/x.html`);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-type': 'text/html; charset=utf-8' });
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none';/);
  });

  it('leads nowhere by a link', async () => {
    const { ask } = await serving([{ path: 'link', type: 'symlink', target: '/etc/passwd' }]);
    expect((await ask(`${LATEST}/`)).body.toString()).toContain('<td>link <span class="d">→ /etc/passwd</span>');
    const { status, body } = await ask(`${LATEST}/link`);
    expect([status, body.toString()]).toEqual([404, 'link is a symbolic link to /etc/passwd, which is not followed\n']);
    expect((await ask(`${LATEST}/`, { method: 'PROPFIND', depth: '1' })).body.toString()).not.toContain('link');
  });

  it('never ends well with content that is not what the manifest says', async () => {
    const bend: ArchiveSpec['bend'] = ({ files }) => Object.assign(files[0] ?? {}, { md5: md5('another') });
    const { ask, warnings } = await serving([{ path: 'x', content: 'one' }], { bend });
    const { status, body } = await ask(`${LATEST}/x`);
    expect([status, body.toString()]).toEqual([502, expect.stringContaining('does not have the size and MD5')]);
    const long = await serving([{ path: 'x', content: randomBytes(9 * 2 ** 20) }], { bend });
    await expect(long.ask(`${LATEST}/x`)).rejects.toThrow('aborted');
    expect(long.warnings).toEqual([expect.stringContaining('was not sent to its end')]);
    expect(warnings).toEqual([]);
  });
});

describe('who may ask', () => {
  it('is a page of this server only, whatever name leads here', async () => {
    const { ask } = await serving([]);
    expect((await ask('/', { host: 'evil.example' })).status).toBe(403);
    expect((await ask('/', { host: 'localhost:1' })).status).toBe(200);
  });

  it('is who brings the token, which a browser gets as a cookie', async () => {
    const token = 'abcdefghijklmnopqrstuv';
    const { ask } = await serving([{ path: 'x', content: 'x' }], { token });
    for (const path of ['/', `${LATEST}/x`, '/nothing', '//', `/?token=${token}x`]) {
      const { status, headers } = await ask(path);
      expect([path, status, headers['www-authenticate']]).toEqual([
        path,
        401,
        'Basic realm="archiver", charset="UTF-8"',
      ]);
    }
    expect((await ask('/', { method: 'OPTIONS' })).status).toBe(401);
    expect((await ask('/', { method: 'PUT' })).status).toBe(401);
    expect((await ask(`${LATEST}/x?token=${token}`)).body.toString()).toBe('x');
    expect((await ask(`${LATEST}/x`, { authorization: `Bearer ${token}` })).status).toBe(200);
    // A proxy hands on the name that it is asked by.
    const host = 'archive.example';
    expect((await ask(`${LATEST}/x`, { authorization: `Bearer ${token}`, host })).status).toBe(200);
    expect((await ask(`${LATEST}/x`, { host })).status).toBe(401);
    const { status, headers } = await ask(`${LATEST}/?sort=size&token=${token}`, { accept: 'text/html,*/*' });
    expect([status, headers.location]).toEqual([303, `${LATEST}/`]);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
    expect((await ask(`${LATEST}/`, { cookie: cookie.split(';')[0] ?? '' })).status).toBe(200);
  });
});

describe('what cannot be read', () => {
  const refusing = (code: 'cold-storage' | 'not-found' | 'access-denied'): Bent => ({
    get: (key, _, normal) =>
      key.includes('chunk') || key.includes('shard')
        ? Promise.reject(new ArchiverError(code, `no: ${code}`))
        : normal(),
  });

  it('is said with its price where it is cold, and is listed all the same', async () => {
    const { ask } = await serving([{ path: 'x', content: 'cold' }], { bent: refusing('cold-storage') });
    const { status, body } = await ask(`${LATEST}/x`);
    expect([status, body.toString()]).toEqual([409, '$1, and how\n']);
    expect((await ask(`${LATEST}/x`, { range: 'bytes=0-1' })).status).toBe(409);
    expect((await ask(`${LATEST}/x`, { method: 'HEAD' })).status).toBe(200);
    expect((await ask(`${LATEST}/`)).body.toString()).toContain('href="x"');
  });

  it('is a fault of the store and no missing path', async () => {
    for (const code of ['not-found', 'access-denied'] as const) {
      const { ask } = await serving([{ path: 'x', content: 'x' }], { bent: refusing(code) });
      const { status, body } = await ask(`${LATEST}/x`);
      expect([status, body.toString()]).toEqual([502, expect.stringContaining(`no: ${code}`)]);
    }
  });

  it('is not fetched where budgets forbid it', async () => {
    const mayFetch = () => () => Promise.reject(new ArchiverError('budget-exceeded', 'too much'));
    const { ask, reader } = await serving([{ path: 'x', content: 'x' }], { mayFetch });
    await ask(`${LATEST}/`);
    const before = reader.requests.get;
    expect((await ask(`${LATEST}/x`)).status).toBe(403);
    expect(reader.requests.get).toBe(before);
  });
});

describe('WebDAV', () => {
  const propfind = { method: 'PROPFIND' };

  it('lists a folder with what is asked for', async () => {
    const { ask } = await serving([
      { path: 'a b/x', content: '12345' },
      { path: 'y', content: '' },
    ]);
    const all = await ask(`${LATEST}/`, { ...propfind, depth: '1' });
    expect([all.status, all.headers['content-type']]).toEqual([207, 'application/xml; charset=utf-8']);
    const hrefs = (text: Buffer): string[] =>
      Array.from(text.toString().matchAll(/<D:href>(.*?)<\/D:href>/g), ([, href = '']) => href);
    expect(hrefs(all.body)).toEqual([`${LATEST}/`, `${LATEST}/a%20b/`, `${LATEST}/y`]);
    expect(hrefs((await ask(LATEST, { ...propfind, depth: '0' })).body)).toEqual([`${LATEST}/`]);
    const body = '<a:propfind xmlns:a="DAV:"><a:prop><a:getcontentlength/><b xmlns="urn:b"/></a:prop></a:propfind>';
    const named = (await ask(`${LATEST}/a%20b/x`, { ...propfind, depth: '0', body })).body.toString();
    expect(named).toContain('<D:prop><D:getcontentlength>5</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK');
    expect(named).toContain('<D:prop><b xmlns="urn:b"/></D:prop><D:status>HTTP/1.1 404 Not Found');
  });

  it('refuses all of a tree at once, and bodies that are none', async () => {
    const { ask } = await serving([{ path: 'x', content: '' }]);
    for (const depth of ['infinity', undefined]) {
      const { status, body } = await ask('/', { ...propfind, ...(depth && { depth }) });
      expect([status, body.toString()]).toEqual([403, expect.stringContaining('<D:propfind-finite-depth/>')]);
    }
    expect((await ask('/', { ...propfind, depth: '1', body: '<x/>' })).status).toBe(400);
    expect((await ask('/', { ...propfind, depth: '1', body: ' '.repeat(70_000) })).status).toBe(413);
    expect((await ask('/x', { ...propfind, depth: '1' })).status).toBe(404);
  });
});
