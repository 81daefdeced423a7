// A proxy that cuts and repeats: streams end after a random number of bytes, often within an event, and a new stream
// begins with events that were there before; answers of polls and queries get lost, and their requests are sent twice.
import http from 'node:http';
import {Readable} from 'node:stream';
import {dev, randomness} from './support.mjs';

const repeatable = /notifications\/changes|records\/(query|lookup)|devices\/register/;

/** Starts a proxy before the service; `calm` ends its faults, and nothing of a stream comes before `held` resolves. */
export async function startProxy(seed, {bytesMax = 1500} = {}) {
  const random = randomness(seed);
  const sent = [];
  const proxy = {cuts: 0, repeated: 0, lost: 0, streams: 0, calm: false, held: undefined};
  const open = new Set();
  let began;
  const next = () => new Promise((resolve) => { began = resolve; });
  /** Breaks all streams, as soon as there is one; resolves when a client has begun another one. */
  proxy.cut = async () => {
    if (open.size === 0) await next();
    const again = next();
    proxy.cuts += open.size;
    for (const response of open) response.destroy();
    await again;
  };
  const fetched = (request, body) => fetch(dev.url + request.url, {method: request.method, body, duplex: 'half',
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)))});

  async function stream(request, response) {
    proxy.streams += 1;
    const answer = await fetched(request);
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'content-encoding'));
    response.writeHead(answer.status, headers);
    open.add(response);
    response.on('close', () => { open.delete(response); body.destroy(); });
    began?.();
    const body = Readable.fromWeb(answer.body);
    body.on('error', () => response.destroy());
    if (!proxy.calm && answer.status === 200) {
      for (const event of sent.slice(-random.below(4) || sent.length)) {
        proxy.repeated += 1;
        response.write(`${event}\n\n`);
      }
    }
    await proxy.held;
    let left = proxy.calm ? Infinity : random.below(bytesMax);
    let text = '';
    for await (const chunk of body) {
      const piece = chunk.subarray(0, Math.min(chunk.length, left));
      left -= piece.length;
      response.write(piece);
      text += piece;
      const events = text.split('\n\n');
      text = events.pop();
      sent.push(...events.filter((event) => event.includes('event: notification')));
      sent.splice(0, Math.max(0, sent.length - 20));
      if (left <= 0) {
        proxy.cuts += 1;
        // The bytes so far arrive, then the connection breaks.
        response.write('', () => setImmediate(() => response.destroy()));
        return;
      }
    }
    response.end();
  }

  const server = http.createServer(async (request, response) => {
    try {
      if (request.url.includes('notifications/stream')) return await stream(request, response);
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
      if (!proxy.calm && repeatable.test(request.url)) {
        const fate = random.next();
        if (fate < 0.1) {
          proxy.lost += 1;
          await (await fetched(request, body)).arrayBuffer();
          return response.destroy();
        }
        if (fate < 0.2) await (await fetched(request, body)).arrayBuffer();
      }
      const answer = await fetched(request, body);
      const headers = Object.fromEntries([...answer.headers]
        .filter(([name]) => !['content-encoding', 'content-length', 'transfer-encoding'].includes(name)));
      response.writeHead(answer.status, headers);
      response.end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      response.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {url: `http://127.0.0.1:${server.address().port}`,
    end: () => { server.closeAllConnections(); server.close(); }});
}
