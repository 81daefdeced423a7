// What a tab follows. One shared worker holds the streams of all tabs; a tab that is hidden for 30 s follows nothing.
import {base, headers} from './api.js';
import {here} from './router.js';
import {userOf} from './session.js';
import {hub} from './stream.js';

const hiddenSeconds = 30;
const watches = new Map();
let next = 0;
let port;
let own;

function address() {
  const found = new URL('../worker.js', import.meta.url).href;
  // Trusted Types guard addresses of workers: one policy, which makes one address.
  return window.trustedTypes ? window.trustedTypes.createPolicy('live', {createScriptURL: () => found}).createScriptURL('')
    : found;
}

function open() {
  if (port || own) return;
  try {
    const worker = new SharedWorker(address(), {type: 'module', name: 'fanfare live'});
    worker.onerror = () => { port = undefined; own = hub(); for (const id of watches.keys()) send(id); };
    port = worker.port;
    port.onmessage = ({data}) => take(data.id, data);
  } catch {
    own = hub();
  }
  window.addEventListener('pagehide', () => port?.postMessage({gone: true}));
  window.addEventListener('pageshow', (event) => { if (event.persisted) for (const id of watches.keys()) send(id); });
  let timer;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => { for (const [id, watch] of watches) { watch.asleep = true; halt(id);
      } }, hiddenSeconds * 1000);
    else for (const [id, watch] of watches) if (watch.asleep) { watch.asleep = false; send(id); }
  });
}

function take(id, message) {
  const watch = watches.get(id);
  if (!watch) return;
  if (message.entries) { watch.token = message.token; if (message.entries.length) watch.receive(message.entries,
    message.token); } else watch.state(message);
}

function send(id) {
  const watch = watches.get(id);
  const message = {key: watch.key, base, path: watch.path, deviceID: watch.deviceID, headers: headers('device', watch.as),
    after: watch.token};
  if (port) port.postMessage({id, watch: message});
  else { watch.end?.(); watch.end = own.follow(message, (found) => take(id, found)); }
}

function halt(id) {
  if (port) port.postMessage({id});
  else watches.get(id)?.end?.();
}

/**
 * Follows a device's notifications after the token `after` (from the start without one). `receive(entries, token)` gets
 * them in
 * their order, none twice; `state` gets `{state: 'live' or 'waiting', seconds}` or `{error}`. `as` is another user than the
 * tab's. Answers a function that ends it.
 */
export function follow({deviceID, after, receive, state = () => {}, as}) {
  open();
  const {container, environment} = here();
  const id = next++;
  const scope = `${encodeURIComponent(container)}/${encodeURIComponent(environment)}`;
  watches.set(id, {key: `${scope} ${(as ?? userOf(here()))?.userRecordName} ${deviceID}`, as,
    path: `/device/1/${scope}/notifications`, deviceID, token: after, receive, state});
  send(id);
  return () => { if (watches.has(id)) { halt(id); watches.delete(id); } };
}
