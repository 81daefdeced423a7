// The frame: top bar, pages at the left, the page, the side panel.
import {base, connect} from './api.js';
import {hold, keys, listen} from './keys.js';
import {groups, pages} from './pages.js';
import {go, here, to} from './router.js';
import {has, onVoices, operator, scopeOf, service, unlock, unlockedUntil, userOf} from './session.js';
import {texts} from './texts.js';
import {button, fill, h, icon, sheet, skeleton} from './view.js';

/** The place of the side panel. */
export const side = h('aside', {class: 'panel', 'aria-label': texts.details, hidden: true});

/** What is asked before the page is left: `panel` is the open side panel, `{dirty(), asks(), end()}`. */
export const leaving = {panel: undefined};

const main = h('main', {id: 'page', tabindex: '-1'});
const left = h('nav', {class: 'left', 'aria-label': texts.pages});
const bar = h('header', {class: 'bar'});
const offline = h('div', {class: 'offline', role: 'status', hidden: true});
const busy = h('span', {class: 'live-sign', role: 'status'});
let shown;

const dirty = () => leaving.panel?.dirty();

/** Shows at the top what the live view of the page does: `live`, `paused`, `waiting` with seconds, or nothing. */
export function live(state, seconds) {
  busy.className = `live-sign ${state ?? ''}`;
  fill(busy, state && h('span', {class: 'dot', 'aria-hidden': 'true'}),
    {live: 'live', paused: 'paused', waiting: texts.againIn(seconds), ended: 'ended'}[state] ?? '');
}

// A module that cannot be fetched is a TypeError: the service does not answer. Other errors are faults of a module.
function absent(error) { if (!(error instanceof TypeError)) throw error; gone(); }

/** Takes what an `import()` gives to `use`, whose answer it answers. Where the service does not answer, the frame says so. */
export async function part(loading, use) {
  let module;
  try { module = await loading; } catch (error) { return absent(error); }
  return use(module);
}

let menus;
const prefetch = () => part(hold(import('./menus.js')), (module) => { menus = module; });
// A menu opens at once where the module is there already: it comes when the bar gets the focus or a pointer.
const show = (name) => ({currentTarget: opener}) => {
  if (menus) return menus[name](opener);
  return prefetch().then(() => opener.isConnected && menus?.[name](opener));
};
const help = () => part(hold(import('./menus.js')), (module) => module.help());
const palette = () => part(hold(import('./palette.js')), ({palette: open}) => open());
const note = (text, options) => part(import('./dialog.js'), (dialog) => dialog.note(text, options));

/** The dialog to sign in; answers a promise of whether there is a voice now. */
export const signIn = (voice = 'user') => part(import('./sign.js'), (sign) => sign.signIn(voice));

function lock() {
  if (service.readOnly) return h('span', {class: 'word'}, texts.readOnly);
  const until = unlockedUntil();
  const time = until && new Date(until).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'});
  return button([until ? texts.unlocked : texts.unlock, h('span', {class: 'wide-only'}, until ? texts.until(time) : texts.for15)],
    {icon: 'lock', kind: 'plain', title: until ? texts.lockAgain : texts.unlockFor}, () => unlock(!until));
}

function top() {
  const scope = here();
  const user = userOf(scope);
  const known = operator();
  const production = scope.environment === 'production';
  const wide = (kind, ...text) => h('span', {class: `wide-only ${kind}`}, text);
  document.body.classList.toggle('production', production);
  fill(bar, button('', {icon: 'menu', label: texts.pages, kind: 'left-button', 'aria-expanded': 'false'},
    () => drawer(!document.body.classList.contains('with-left'))),
    h('a', {class: 'brand', href: to('overview'), 'aria-label': texts.fanfareOverview}, icon('bell'), h('span', null, 'Fanfare')),
    h('button', {type: 'button', class: 'button scope', 'aria-label': texts.container(scope.container, scope.environment),
      onclick: show('scopes')}, h('span', {class: 'cut container'}, scope.container.replace(/^iCloud\./, '')),
      h('span', {class: `badge environment ${scope.environment}`}, scope.environment), icon('down')),
    production && lock(), h('span', {class: 'space'}), busy,
    h('button', {type: 'button', class: 'button search', 'aria-label': texts.goToAnythingCtrl, onclick: palette}, icon('search'),
      wide('', texts.goToAnything), h('kbd', {class: 'wide-only'}, texts.ctrlK)),
    h('button', {type: 'button', class: 'button voices', onclick: show('voices'),
      'aria-label': texts.voices(user ? texts.user(user.name) : texts.noUser, known ? `, ${known.role} ${known.name}` : '')},
    h('span', {class: `face ${user ? '' : 'nobody'}`, 'aria-hidden': 'true'}, user ? user.name.slice(0, 1).toUpperCase() : '?'),
    h('span', {class: 'cut who'}, user ? user.name : texts.notSigned), user?.device && wide('cut quiet', texts.on(user.device)),
    known && wide('badge accent cut who', `${known.role} ${known.name}`)),
    button('', {icon: 'settings', label: texts.looksAnd}, show('looks')));
}

function drawer(open) {
  document.body.classList.toggle('with-left', open);
  bar.querySelector('.left-button')?.setAttribute('aria-expanded', open);
  if (open) left.querySelector('a')?.focus();
}

function nav() {
  const {page: now} = here();
  fill(left, groups.map((group) => {
    const list = Object.entries(pages).filter(([, page]) => page.group === group && !page.hidden && has(page.routes));
    if (!list.length) return undefined;
    const id = `group-${group || 'first'}`;
    return h('section', {'aria-labelledby': group ? id : undefined, 'aria-label': group ? undefined : texts.overview},
      group && h('h2', {id}, group), h('ul', null, list.map(([name, page]) => h('li', null,
        h('a', {href: to(page.path?.[0] ?? name, page.path?.slice(1) ?? []), onclick: () => drawer(false),
          'aria-current': now === name || pages[now]?.under === name ? 'page' : undefined}, icon(page.icon ?? name),
        h('span', null, page.title), page.voice === 'operator'
          && h('span', {class: `needs ${operator() ? 'good' : ''}`, title: texts.needsAn}, '●'))))));
  }), h('p', {class: 'build quiet'}, texts.build(service.build)));
}

const missing = (text, code = 'NOT_FOUND') => { throw Object.assign(new Error(text), {code}); };

/** Draws the page of the address again. */
export function reload() { shown = undefined; page(here()); }

async function page(route) {
  top();
  nav();
  const name = `${route.container}/${route.environment}/${route.page}/${route.parts.join('/')}`;
  if (shown?.name === name && shown.view.changed) return shown.view.changed(route);
  shown?.leave();
  leaving.panel?.end();
  voicesDrawn = voicesNow();
  live();
  const stop = new AbortController();
  const known = pages[`${route.page}/${route.parts[0]}`] ?? pages[route.page];
  const view = {route, signal: stop.signal, root: h('div', {class: `page page-${known ? route.page : 'gone'}`}),
    user: () => userOf(here()),
    title(text, ...more) {
      document.title = [text, ...(known && text !== known.title ? [known.title] : []), route.container, 'Fanfare'].join(' · ');
      return h('h1', {tabindex: '-1'}, text, ...more);
    },
    keys(set) { const away = keys(set); stop.signal.addEventListener('abort', away); }};
  shown = {name, view, leave: () => stop.abort()};
  const waits = setTimeout(() => main.classList.add('loading'), 150);
  stop.signal.addEventListener('abort', () => clearTimeout(waits));
  try {
    if (!scopeOf(route)) missing(texts.thisService(route.container, route.environment,
      service.containers.map((one) => `${one.container} (${one.environment})`).join(', ')));
    if (!known || !has(known.routes)) missing(texts.thereIs(route.page));
    if (!main.firstChild) fill(main, skeleton());
    const refused = (known.voice === 'user' && !userOf(route)) || (known.voice === 'operator' && !operator());
    const isFirst = route.page === 'overview';
    const [module, rights] = await Promise.all([refused ? import('./menus.js') : known.load(), isFirst || import('./rights.js'),
      isFirst || sheet('parts.css')])
      .catch((error) => { absent(error); missing(texts.thePage, 'OFFLINE'); });
    if (stop.signal.aborted) return undefined;
    Object.assign(view, {locked: () => rights.locked(here()), barred: () => rights.barred(here())});
    if (refused) fill(view.root, module.denied(known)); else module.open(view);
    fill(main, view.root);
  } catch (error) {
    if (!error.code) setTimeout(() => { throw error; });
    await fault(view.root, known?.title ?? texts.notHere, error);
    if (stop.signal.aborted) return undefined;
    fill(main, view.root);
  }
  clearTimeout(waits);
  main.classList.remove('loading');
  if (document.activeElement === document.body) main.querySelector('h1')?.focus({preventScroll: true});
  return undefined;
}

// An error in the place of a page; without its box where that cannot be had either.
async function fault(root, title, error) {
  const box = await import('./states.js').then(({errorBox}) => errorBox(error, reload), () => h('p', {class: 'bad-box', role: 'alert'},
    error.message));
  fill(root, h('h1', {tabindex: '-1'}, title), box);
}

let tries = 0;
let retry;
function gone() {
  if (retry) return;
  const pauses = [1, 2, 4, 8, 15];
  let rest = pauses[Math.min(tries++, 4)];
  const tick = async () => {
    fill(offline, icon('refresh'), rest > 0 ? texts.connectingAgain(rest) : texts.connectingAgainMore);
    offline.hidden = false;
    if (rest-- > 0) { retry = setTimeout(tick, 1000); return; }
    retry = undefined;
    try {
      const answer = await (await fetch(`${base}/console/start.json`, {cache: 'no-store'})).json();
      if (answer.build !== service.build) note(texts.theServiceHas,
        {action: {text: texts.loadIt, act: () => location.reload()}, seconds: 60});
      Object.assign(service, answer);
      back();
      if (!dirty() && main.querySelector('.bad-box, .skeleton')) reload();
    } catch { gone(); }
  };
  tick();
}
function back() { tries = 0; clearTimeout(retry); retry = undefined; offline.hidden = true; }

// The voices that the page in view was drawn for. They differ between environments.
let voicesDrawn;
const voicesNow = () => JSON.stringify([userOf(here())?.userRecordName, userOf(here())?.device, operator()?.name, operator()?.role,
  unlockedUntil() > 0]);

/**
 * Makes the frame in `root`; answers what the router calls: one function that draws an address, one that asks before
 * leaving.
 */
export function draw(root) {
  fill(root, h('a', {class: 'skip', href: '#page', onclick: (event) => { event.preventDefault(); main.focus(); }},
    texts.toThe), bar, offline, h('div', {class: 'columns'}, left, main, side),
    h('div', {class: 'notes', role: 'status', 'aria-live': 'polite'}));
  for (const name of ['focusin', 'pointerover']) bar.addEventListener(name, prefetch, {once: true});
  connect({signIn: (voice) => signIn(voice), offline: gone, online: back});
  listen();
  const voices = () => { if (voicesDrawn !== voicesNow() && !dirty()) reload(); else { top(); nav(); } };
  onVoices(voices);
  // Production locks itself.
  setInterval(() => { if (voicesDrawn !== voicesNow()) voices(); }, 5000);
  const jump = (name) => [pages[name].title.toLowerCase(),
    () => go(to(pages[name].path?.[0] ?? name, pages[name].path?.slice(1)))];
  keys({'Ctrl k': [texts.goTo, palette], '?': [texts.theKeys, help],
    'Shift ?': [texts.theKeys, help],
    ...Object.fromEntries([['r', 'records'], ['s', 'subscriptions'], ['d', 'devices'], ['f', 'feed'], ['c', 'changes'],
      ['p', 'play'], ['o', 'overview']].map(([letter, name]) => [`g ${letter}`, jump(name)])),
    Escape: [texts.close, () => drawer(false), () => document.body.classList.contains('with-left')]});
  window.addEventListener('beforeunload', (event) => { if (dirty()) event.preventDefault(); });
  if (service.codeError) note(texts.theCode(service.codeError.message), {kind: 'bad', seconds: 15});
  return [page, async () => !dirty() || leaving.panel.asks()];
}
