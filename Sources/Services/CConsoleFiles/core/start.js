// The start: what the service says of itself, the code of an address, the first page.
import {base} from './api.js';
import {draw} from './frame.js';
import {format, parse, start} from './router.js';
import {preference, service} from './session.js';
import {texts} from './texts.js';
import {h} from './view.js';

/** Takes a code that is good once out of the address, and gives it back. */
function takeCode() {
  const found = /^#\/?(?:.*[?&])?code=([^&]+)/.exec(location.hash);
  if (!found) return undefined;
  history.replaceState(null, '', location.pathname);
  return decodeURIComponent(found[1]);
}

/** What the service says of itself; undefined while it does not answer or is not ready. */
async function says() {
  try {
    const response = await fetch(`${base}/console/start.json`, {cache: 'no-store'});
    return response.ok ? await response.json() : undefined;
  } catch { return undefined; }
}

async function begin() {
  const root = document.querySelector('#console');
  const scheme = preference('scheme', '');
  if (scheme) document.documentElement.dataset.scheme = scheme;
  const answer = await says();
  if (!answer) {
    root.replaceChildren(h('main', {class: 'alone'}, h('h1', null, 'Fanfare'), h('p', {class: 'bad-box', role: 'alert'},
      texts.theServiceDoes)));
    return setTimeout(begin, 2000);
  }
  Object.assign(service, answer);
  const code = takeCode();
  const route = parse(location.hash);
  if (!route.container && service.containers[0]) {
    const first = service.containers.find((one) => one.environment === 'development') ?? service.containers[0];
    history.replaceState(null, '', format({...first}));
  }
  if (code) {
    try { await (await import('./sign.js')).trade(code); } catch (error) { service.codeError = error; }
  }
  return start(...draw(root));
}

begin();
