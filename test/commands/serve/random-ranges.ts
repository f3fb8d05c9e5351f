// Asks a server for random ranges of files, and compares them with what is there.
import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Asks for so many ranges, some at a time, over few connections; returns those that were answered otherwise. */
export async function differentRanges(
  url: string,
  files: ReadonlyMap<string, Buffer>,
  count: number,
  longest = 50_000,
): Promise<readonly string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const names = [...files.keys()];
  const different: string[] = [];
  let seed = 42;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  let left = count;
  const askOn = async (): Promise<void> => {
    while (left-- > 0) {
      const path = names[random(names.length)] ?? '';
      const whole = files.get(path) ?? Buffer.alloc(0);
      const start = random(whole.length);
      const end = Math.min(whole.length, start + 1 + random(longest));
      const { status, body } = await range(agent, new URL(path, url), `bytes=${start}-${end - 1}`);
      if (status !== 206 || !body.equals(whole.subarray(start, end)))
        different.push(`${path} ${start}-${end}: ${status}`);
    }
  };
  await Promise.all([askOn(), askOn(), askOn(), askOn()]);
  agent.destroy();
  return different;
}

const range = (agent: Agent, url: URL, header: string): Promise<{ status: number; body: Buffer }> =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers: { range: header } }, (response) => {
      buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    }).on('error', reject);
  });
