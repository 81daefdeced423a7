// The start: what the service says of itself, the code of an address, the first page.
import {base, trade} from './api.js';
import {draw} from './frame.js';
import {format, parse, start} from './router.js';
import {preference, service} from './session.js';
import {errorBox} from './states.js';
import {h} from './view.js';

/** Takes a code that is good once out of the address, and gives it back. */
function takeCode() {
  const found = /^#\/?(?:.*[?&])?code=([^&]+)/.exec(location.hash);
  if (!found) return undefined;
  history.replaceState(null, '', location.pathname);
  return decodeURIComponent(found[1]);
}

async function begin() {
  const code = takeCode();
  const scheme = preference('scheme', '');
  if (scheme) document.documentElement.dataset.scheme = scheme;
  const response = await fetch(`${base}/console/start.json`, {cache: 'no-store'});
  Object.assign(service, await response.json());
  const route = parse(location.hash);
  if (!route.container && service.containers[0]) {
    const first = service.containers.find((one) => one.environment === 'development') ?? service.containers[0];
    history.replaceState(null, '', format({...first}));
  }
  if (code) {
    try { await trade(code); } catch (error) { service.codeError = error; }
  }
  start(...draw(document.querySelector('#console')));
}

begin().catch((error) => {
  document.querySelector('#console').replaceChildren(h('main', {class: 'alone'}, h('h1', null, 'Fanfare'),
    errorBox(error.code ? error : Object.assign(error, {code: 'OFFLINE', message: 'The service does not answer.'}),
    () => location.reload())));
});
