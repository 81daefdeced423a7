// Streams of notifications over `fetch`. Runs in the shared worker; where there is none, in the page.

const pauses = [1, 2, 4, 8, 15];
const streamsMax = 2;

/** Cuts server-sent events out of texts that are cut anywhere. Answers `{event, id, data}` objects. */
export function eventReader() {
  let text = '';
  return (piece) => {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    return blocks.map((block) => {
      const found = {event: '', id: '', data: ''};
      for (const line of block.split('\n')) {
        const at = line.indexOf(':');
        const name = line.slice(0, at);
        if (at > 0 && name in found) found[name] += line.slice(at + (line[at + 1] === ' ' ? 2 : 1));
      }
      return found;
    }).filter((found) => found.event);
  };
}

/** What makes an entry of a feed one: a notification has the same ID for each subscription, and is marked as read later. */
const keyOf = (entry) => `${entry.notificationID} ${entry.notificationType} ${entry.subscriptionID} ${entry.changed}`;

/**
 * Holds one stream for each device that somebody follows, and at most two; further devices are polled. `follow(watch,
 * send)`
 * takes `{key, base, path, deviceID, headers, after}`; `send` gets `{entries, token}`, `{state, seconds}` and `{error}`.
 * It answers a function that ends it.
 */
export function hub() {
  const feeds = new Map();

  function follow(watch, send) {
    let feed = feeds.get(watch.key);
    if (feed) {
      feed.watch.headers = watch.headers;
      const follower = feed.token === watch.after ? send : late(feed, watch, send);
      feed.followers.add(follower);
      if (feed.state) follower(feed.state);
      return () => { feed.followers.delete(follower); end(feed); };
    }
    feed = {key: watch.key, watch, token: watch.after, followers: new Set([send]), stop: new AbortController()};
    feeds.set(watch.key, feed);
    run(feed);
    return () => { feed.followers.delete(send); end(feed); };
  }

  // A follower that begins at another place reads pages up to the end first. What the others get meanwhile waits for it,
  // and
  // is left out where the pages had it.
  function late(feed, watch, send) {
    const waiting = [];
    const had = new Set();
    let reading = true;
    const own = {watch, token: watch.after, stop: feed.stop, followers: new Set([(message) => {
      for (const entry of message.entries) had.add(keyOf(entry));
      send(message);
    }])};
    (async () => {
      do {
        try { await page(own); } catch (error) {
          // The feed that the others follow has the error, too, and says so.
          if (feed.stop.signal.aborted) return;
          own.more = true;
          await pause(feed, 1);
        }
      } while (own.more);
      reading = false;
      for (const {entries, token} of waiting) send({entries: entries.filter((entry) => !had.has(keyOf(entry))), token});
    })();
    return (message) => { if (reading && message.entries) waiting.push(message); else send(message); };
  }

  function end(feed) {
    if (!feed || feed.followers.size) return;
    if (feeds.get(feed.key) === feed) feeds.delete(feed.key);
    feed.stop.abort();
  }

  const tell = (feed, message) => { for (const send of feed.followers) send(message); };
  const state = (feed, name, seconds) => { feed.state = {state: name, seconds}; tell(feed, feed.state); };
  const streams = () => [...feeds.values()].filter((feed) => feed.streams).length;

  async function run(feed) {
    let failures = 0;
    while (!feed.stop.signal.aborted) {
      try {
        if (streams() < streamsMax) await stream(feed, () => { failures = 0; });
        await page(feed);
        state(feed, 'live');
        failures = 0;
        if (!feed.more) await pause(feed, 2);
      } catch (error) {
        feed.streams = false;
        if (feed.stop.signal.aborted) return;
        if (error.code && !error.retryAfter && !['TRY_AGAIN_LATER', 'INTERNAL_ERROR', 'UNAVAILABLE'].includes(error.code)) {
          feeds.delete(feed.key);
          return tell(feed, {error: {code: error.code, message: error.message}});
        }
        const seconds = Math.max(error.retryAfter ?? 0,
          pauses[Math.min(failures, pauses.length - 1)] * (0.75 + Math.random() / 2));
        failures += 1;
        state(feed, 'waiting', Math.ceil(seconds));
        await pause(feed, seconds);
      }
    }
  }

  const pause = (feed, seconds) => new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    feed.stop.signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, {once: true});
  });

  async function ask(feed, address, options) {
    const response = await fetch(address, {...options, headers: {...feed.watch.headers, ...options.headers},
      signal: feed.stop.signal, cache: 'no-store'});
    if (response.ok) return response;
    const answer = await response.json().catch(() => ({}));
    throw Object.assign(new Error(answer.reason ?? `HTTP ${response.status}`),
      {code: answer.serverErrorCode, retryAfter: answer.retryAfter});
  }

  async function page(feed) {
    const body = {deviceID: feed.watch.deviceID, ...(feed.token && {serverChangeToken: feed.token})};
    const answer = await (await ask(feed, `${feed.watch.base}${feed.watch.path}/changes`,
      {method: 'POST', body: JSON.stringify(body), headers: {'Content-Type': 'application/json'}})).json();
    feed.token = answer.serverChangeToken;
    feed.more = answer.moreComing;
    tell(feed, {entries: answer.notifications, token: feed.token});
  }

  async function stream(feed, alive) {
    feed.streams = true;
    const query = new URLSearchParams({deviceID: feed.watch.deviceID, ...(feed.token && {serverChangeToken: feed.token})});
    const response = await ask(feed, `${feed.watch.base}${feed.watch.path}/stream?${query}`, {headers: {}});
    state(feed, 'live');
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const events = eventReader();
    for (;;) {
      const {value, done} = await reader.read();
      if (done) throw new Error('The stream has ended.');
      alive();
      const entries = [];
      for (const found of events(decoder.decode(value, {stream: true}))) {
        if (found.event === 'error') { const fault = JSON.parse(found.data);
          throw Object.assign(new Error(fault.reason), {code: fault.serverErrorCode, retryAfter: fault.retryAfter}); }
        if (found.event !== 'notification') continue;
        entries.push(JSON.parse(found.data));
        feed.token = found.id;
      }
      if (entries.length) tell(feed, {entries, token: feed.token});
    }
  }

  return {follow};
}
