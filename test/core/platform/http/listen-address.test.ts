import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isLoopback, listenAddress } from '../../../../src/core/platform/http/listen-address.js';
import { openServer } from '../../../../src/core/platform/http/local-server.js';

const names: Readonly<Record<string, readonly string[]>> = {
  localhost: ['::1', '127.0.0.1'],
  six: ['::1'],
  'Mine.local': ['127.0.0.1'],
  'host.example': ['192.0.2.7'],
  mixed: ['127.0.0.1', '192.0.2.7'],
};
const lookup = async (name: string): Promise<{ address: string }[]> => {
  const found = names[name];
  if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
  return await Promise.resolve(found.map((address) => ({ address })));
};
const listen = async (text: string, allowPublic = false) =>
  await listenAddress(text, { allowPublic, flag: '--pprof-addr', lookup });

describe('the address that an instrument listens on', () => {
  it.each([
    ['localhost:6060', '127.0.0.1'],
    ['127.0.0.1:6060', '127.0.0.1'],
    ['127.8.9.10:6060', '127.8.9.10'],
    ['[::1]:6060', '::1'],
    ['[::ffff:127.0.0.1]:6060', '::ffff:127.0.0.1'],
    ['six:6060', '::1'],
  ])('may be %s', async (text, host) => {
    expect(await listen(text)).toMatchObject({ host, port: 6060 });
  });

  it.each([
    '0.0.0.0:6060',
    '[::]:6060',
    ':6060',
    '192.0.2.7:6060',
    '[2001:db8::1]:6060',
    '[fe80::1%eth0]:6060',
    '[::ffff:192.0.2.7]:6060',
    'host.example:6060',
    'mixed:6060',
  ])('is refused where others could reach %s, and taken where that is allowed', async (text) => {
    await expect(listen(text)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('asks for no password') as string,
      hint: 'use localhost:6060, or add --allow-public-observability',
    });

    expect((await listen(text, true)).port).toBe(6060);
  });

  it('is every address where the host is empty and that is allowed', async () => {
    expect(await listen(':0', true)).toEqual({ host: '', port: 0 });
  });

  it.each([
    '6060',
    'localhost',
    'localhost:',
    'localhost:70000',
    '::1:6060',
    'http://localhost:6060',
    '[localhost]:1',
    'a b:1',
  ])('is not %s', async (text) => {
    await expect(listen(text, true)).rejects.toMatchObject({
      code: 'usage',
      message: `--pprof-addr wants host:port, got "${text}"`,
    });
  });

  it('is refused where the name does not resolve', async () => {
    await expect(listen('nowhere.example:1')).rejects.toMatchObject({
      code: 'usage',
      message: '--pprof-addr nowhere.example:1 does not resolve: getaddrinfo ENOTFOUND nowhere.example',
    });
  });

  it('counts as loopback by its network', () => {
    expect(['127.0.0.1', '127.255.255.255', '::1'].every(isLoopback)).toBe(true);
    expect(['126.255.255.255', '128.0.0.1', '::', '::2', 'localhost.example', ''].some(isLoopback)).toBe(false);
  });
});

async function statusOf(port: number, host: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

describe('the server of an instrument', () => {
  it('answers who asks for this computer, and not a page whose name leads here', async () => {
    const server = await openServer({ host: '127.0.0.1', port: 0 }, '--pprof-addr', (_, response) =>
      response.end('yes'),
    );
    const port = Number(server.at.split(':').at(-1));

    expect(await statusOf(port, `localhost:${port}`)).toBe(200);
    expect(await statusOf(port, `127.0.0.1:${port}`)).toBe(200);
    expect(await statusOf(port, `[::1]:${port}`)).toBe(200);
    expect(await statusOf(port, 'evil.example')).toBe(403);
    await server.close();
  });

  it('answers to the name that it was given, and to no other', async () => {
    const server = await openServer(await listen('Mine.local:0'), '--pprof-addr', (_, response) => response.end('yes'));
    const port = Number(server.at.split(':').at(-1));

    expect(await statusOf(port, `mine.LOCAL:${port}`)).toBe(200);
    expect(await statusOf(port, `LocalHost:${port}`)).toBe(200);
    for (const name of ['evil.example', 'mine.local.evil.example', '127.0.0.1.evil.example', '[::2]'])
      expect([name, await statusOf(port, name)]).toEqual([name, 403]);
    await server.close();
  });

  it('is refused with one sentence where the port is in use', async () => {
    const server = await openServer({ host: '127.0.0.1', port: 0 }, '--pprof-addr', (_, response) => response.end());
    const port = Number(server.at.split(':').at(-1));

    await expect(openServer({ host: '127.0.0.1', port }, '--pprof-addr', () => undefined)).rejects.toMatchObject({
      code: 'usage',
      message: `--pprof-addr: 127.0.0.1:${port} is in use by another program`,
    });
    await server.close();
  });
});
