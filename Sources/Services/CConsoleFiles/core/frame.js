// The frame: top bar, pages at the left, the page, the side panel.
import {base, connect} from './api.js';
import {confirm, menu, note, notes} from './dialog.js';
import {allKeys, keys, listen} from './keys.js';
import {groups, pages} from './pages.js';
import {format, go, here, to} from './router.js';
import {barred, has, locked, onVoices, operator, preference, scopeOf, service, setPreference, unlock, unlockedUntil,
  userOf} from './session.js';
import {errorBox, skeleton} from './states.js';
import {button, fill, h, icon} from './view.js';

const main = h('main', {id: 'page', tabindex: '-1'});
const left = h('nav', {class: 'left', 'aria-label': 'Pages'});
const bar = h('header', {class: 'bar'});
const offline = h('div', {class: 'offline', role: 'status', hidden: true});
const side = h('aside', {class: 'panel', 'aria-label': 'Details', hidden: true});
const busy = h('span', {class: 'live-sign', role: 'status'});
let shown;
let inner;

/**
 * Opens the side panel. `content` are nodes; `dirty()` answers whether it has edits; `closed()` is called when it is gone.
 * Answers `{close(), refill(...nodes), element}`.
 */
export function panel({title, content, actions = [], dirty = () => false, closed = () => {}, key = {}}) {
  inner?.end();
  const before = document.activeElement;
  const body = h('div', {class: 'panel-body'}, content);
  const name = h('h2', {tabindex: '-1'}, title);
  const act = h('div', {class: 'row'}, actions);
  fill(side, h('div', {class: 'panel-head'}, name, act, button('', {icon: 'close', label: 'Close the panel (Esc)'},
    () => close())), body);
  side.hidden = false;
  document.body.classList.add('with-panel');
  const away = keys({Escape: ['close the panel', () => close()], ...key});
  const own = {dirty, end() { away(); inner = undefined; side.hidden = true; side.replaceChildren();
    document.body.classList.remove('with-panel'); closed(); if (before?.isConnected) before.focus({preventScroll: true});
    }};
  const close = async () => { if (await mayClose()) own.end(); };
  inner = own;
  return {close, end: () => { if (inner === own) own.end(); }, element: body, actions: act, title: name,
    focus: () => name.focus(), isOpen: () => inner === own};
}

/** Asks before edits in the panel are lost; answers a promise of a yes or a no. */
export async function mayClose() {
  return !inner?.dirty()
    || confirm({title: 'Leave the edits?', text: 'They are not saved yet.', yes: 'Leave them', danger: true});
}

/** Shows at the top what the live view of the page does: `live`, `paused`, `waiting` with seconds, or nothing. */
export function live(state, seconds) {
  busy.className = `live-sign ${state ?? ''}`;
  fill(busy, state && h('span', {class: 'dot', 'aria-hidden': 'true'}),
    {live: 'live', paused: 'paused', waiting: `again in ${seconds} s`, ended: 'ended'}[state] ?? '');
}

/** The dialog to sign in; answers a promise of whether there is a voice now. */
export async function signIn(voice = 'user') { return (await import('./sign.js')).signIn(voice); }

function scopeMenu(event) {
  const route = here();
  menu(event.currentTarget,
    service.containers.map((one) => ({text: one.container, note: one.environment, on: one.container === route.container
    && one.environment === route.environment, act: () => go(format(one))})));
}

function voiceMenu(event) {
  const scope = here();
  const user = userOf(scope);
  menu(event.currentTarget, [
    {text: user ? 'Be another user in this tab' : 'Sign in as a user', icon: 'users', act: () => signIn('user')},
    user && {text: user.device ? `Changes come from ${user.device}` : 'Changes come from no device', icon: 'devices',
      act: async () => (await import('./sign.js')).pickDevice()},
    user && {text: 'Open another tab', icon: 'plus', act: () => window.open(location.href.replace(/#.*/s, '')
      + format({...scope}), '_blank', 'noopener')},
    user && {text: 'Sign out', icon: 'close', act: async () => (await import('./sign.js')).signOut('user')},
    null,
    operator() ? {text: `Sign out operator ${operator().name}`, icon: 'key',
      act: async () => (await import('./sign.js')).signOut('operator')}
      : {text: 'Sign in as an operator', icon: 'credentials', act: () => signIn('operator')},
  ].filter((entry) => entry !== undefined && entry !== null && entry !== false || entry === null));
}

function looks(event) {
  const scheme = preference('scheme', '');
  const pick = (name, value) => ({text: name, on: scheme === value,
    act: () => { setPreference('scheme', value); if (value) document.documentElement.dataset.scheme = value;
    else delete document.documentElement.dataset.scheme; }});
  menu(event.currentTarget, [pick('As the system', ''), pick('Light', 'light'), pick('Dark', 'dark'), null,
    {text: 'Wide rows', on: preference('rows') === 'wide',
      act: () => { setPreference('rows', preference('rows') === 'wide' ? '' : 'wide'); reload(); }},
    {text: 'Keys of one letter', on: preference('letters') !== 'off',
      act: () => setPreference('letters', preference('letters') === 'off' ? '' : 'off')},
    {text: 'Keys of this page', icon: 'key', act: help}]);
}

async function help() {
  const {dialog} = await import('./dialog.js');
  dialog({title: 'Keys',
    body: h('dl', {class: 'keys'},
    allKeys().map(([name, text]) => [h('dt', null, name.split(' ').map((part) => h('kbd', null, part))),
    h('dd', null, text)]))});
}

async function palette() { (await import('./palette.js')).palette(); }

function top() {
  const scope = here();
  const user = userOf(scope);
  const known = operator();
  const production = scope.environment === 'production';
  document.body.classList.toggle('production', production);
  const until = unlockedUntil();
  fill(bar, button('', {icon: 'menu', label: 'Pages', kind: 'left-button', 'aria-expanded': 'false'},
    () => drawer(!document.body.classList.contains('with-left'))),
    h('a', {class: 'brand', href: to('overview'), 'aria-label': 'Fanfare: overview'}, icon('bell'),
      h('span', null, 'Fanfare')),
    button(null, {kind: 'scope', 'aria-label': `Container ${scope.container}, ${scope.environment}`}, scopeMenu),
    production && (service.readOnly ? h('span', {class: 'word'}, 'read-only') : button(
      [until ? 'unlocked' : 'unlock',
        h('span', {class: 'wide-only'}, until
        ? ` until ${new Date(until).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'})}` : ' for 15 minutes')],
      {icon: 'lock', kind: 'plain', title: until ? 'Lock again' : 'Unlock for 15 minutes'}, () => unlock(!until))),
    h('span', {class: 'space'}), busy,
    button(null, {kind: 'search', 'aria-label': 'Go to anything (Ctrl K)'}, palette),
    button(null, {kind: 'voices',
      'aria-label': `Voices: ${user ? `user ${user.name}` : 'no user'}${known ? `, ${known.role} ${known.name}` : ''}`},
      voiceMenu),
    button('', {icon: 'settings', label: 'Looks and keys'}, looks));
  fill(bar.querySelector('.scope'), h('span', {class: 'cut container'}, scope.container.replace(/^iCloud\./, '')),
    h('span', {class: `badge environment ${scope.environment}`}, scope.environment), icon('down'));
  fill(bar.querySelector('.search'), icon('search'), h('span', {class: 'wide-only'}, 'Go to anything'),
    h('kbd', {class: 'wide-only'}, 'Ctrl K'));
  fill(bar.querySelector('.voices'), h('span', {class: `face ${user ? '' : 'nobody'}`, 'aria-hidden': 'true'}, user
    ? user.name.slice(0, 1).toUpperCase() : '?'),
    h('span', {class: 'cut who'}, user ? user.name : 'not signed in'), user?.device
      && h('span', {class: 'cut quiet wide-only'}, `on ${user.device}`), known
      && h('span', {class: 'badge accent wide-only cut who'}, `${known.role} ${known.name}`));
}

function drawer(open) {
  document.body.classList.toggle('with-left', open);
  bar.querySelector('.left-button')?.setAttribute('aria-expanded', open);
  if (open) left.querySelector('a')?.focus();
}

function nav() {
  const route = here();
  fill(left, groups.map((group) => {
    const list = Object.entries(pages).filter(([, page]) => page.group === group && !page.hidden && has(page.routes));
    if (!list.length) return undefined;
    const id = `group-${group || 'first'}`;
    return h('section', {'aria-labelledby': group ? id : undefined, 'aria-label': group ? undefined : 'Overview'}, group
      && h('h2', {id}, group), h('ul', null, list.map(([name, page]) =>
      h('li', null, h('a', {href: to(page.path?.[0] ?? name, page.path?.slice(1) ?? []),
        'aria-current': route.page === name || pages[route.page]?.under === name ? 'page' : undefined,
        onclick: () => drawer(false)},
        icon(page.icon ?? name), h('span', null, page.title), page.voice === 'operator'
          && h('span', {class: `needs ${operator() ? 'good' : ''}`, title: 'needs an operator'}, '●'))))));
  }), h('p', {class: 'build quiet'}, `build ${service.build}`));
}

const scopes = () => service.containers.map((one) => `${one.container} (${one.environment})`).join(', ');
const pageOf = (route) => pages[`${route.page}/${route.parts[0]}`] ?? pages[route.page];

/** Draws the page of the address again. */
export function reload() { shown = undefined; page(here()); }

async function page(route) {
  top();
  nav();
  const name = `${route.container}/${route.environment}/${route.page}/${route.parts.join('/')}`;
  if (shown?.name === name && shown.view.changed) return shown.view.changed(route);
  shown?.leave();
  inner?.end();
  live();
  const stop = new AbortController();
  const known = pageOf(route);
  const view = {route, signal: stop.signal, root: h('div', {class: `page page-${known ? route.page : 'gone'}`}),
    locked: () => locked(here()), barred: () => barred(here()), user: () => userOf(here()),
    title(text, ...more) {
      document.title = [text, ...(known && text !== known.title ? [known.title] : []), route.container,
        'Fanfare'].join(' · ');
      return h('h1', {tabindex: '-1'}, text, ...more);
    },
    keys(set) { const away = keys(set); stop.signal.addEventListener('abort', away); }};
  shown = {name, view, leave: () => stop.abort()};
  const waits = setTimeout(() => main.classList.add('loading'), 150);
  try {
    if (!scopeOf(route)) throw Object.assign(
      new Error(`This service has no ${route.container} in ${route.environment}. It has ${scopes()}.`),
        {code: 'NOT_FOUND'});
    if (!known || !has(known.routes)) throw Object.assign(new Error(`There is no page "${route.page}" in this build.`),
      {code: 'NOT_FOUND'});
    if (!main.firstChild) fill(main, skeleton());
    const module = await known.load();
    if (stop.signal.aborted) return clearTimeout(waits);
    if ((known.voice === 'user' && !userOf(route)) || (known.voice === 'operator' && !operator())) fill(view.root,
      denied(known));
    else module.open(view);
    fill(main, view.root);
  } catch (error) {
    if (!error.code) setTimeout(() => { throw error; });
    fill(view.root, h('h1', {tabindex: '-1'}, known?.title ?? 'Not here'), errorBox(error, reload));
    fill(main, view.root);
  }
  clearTimeout(waits);
  main.classList.remove('loading');
  if (document.activeElement === document.body) main.querySelector('h1')?.focus({preventScroll: true});
}

function denied(known) {
  const voice = known.voice;
  const who = userOf(here())?.name ?? 'nobody';
  document.title = `${known.title} · Fanfare`;
  return [h('h1', {tabindex: '-1'}, known.title), h('div', {class: 'box empty'},
    h('p', null, voice === 'user' ? 'This page speaks as a user, and nobody is signed in in this tab.'
      : `This page needs an operator. You are ${who}, and no operator is signed in in this tab.`),
    voice === 'operator' && h('p', {class: 'quiet'}, deniedHelp()),
    h('div', {class: 'row'}, button(voice === 'user' ? 'Sign in' : 'Sign in as an operator', {icon: 'users', kind: 'main'},
      () => signIn(voice)), everyone()))];
}

/** The page of all users beside one of the tab's user, where there is an operator. */
function everyone() {
  const name = `${here().page}/all`;
  return operator() && pages[name] && has(pages[name].routes) && h('a', {class: 'button', href: to(here().page, ['all'])},
    pages[name].title);
}

const deniedHelp = () => [h('code', null, 'fanfare console'),
  ' prints an address whose code is good once and for ten minutes. Who may sign in elsewhere is named by the setting ',
  h('code', null, 'operators=you@example.com=operator'), '.'];

let tries = 0;
let retry;
function gone() {
  if (retry) return;
  const pauses = [1, 2, 4, 8, 15];
  let rest = pauses[Math.min(tries++, 4)];
  const tick = async () => {
    fill(offline, icon('refresh'), rest > 0 ? `Connecting again in ${rest} s` : 'Connecting again …');
    offline.hidden = false;
    if (rest-- > 0) { retry = setTimeout(tick, 1000); return; }
    retry = undefined;
    try {
      const answer = await (await fetch(`${base}/console/start.json`, {cache: 'no-store'})).json();
      if (answer.build !== service.build) note('The service has another build now.',
        {action: {text: 'Load it', act: () => location.reload()}, seconds: 60});
      Object.assign(service, answer);
      back();
      if (!inner?.dirty() && main.querySelector('.bad-box')) reload();
    } catch { gone(); }
  };
  tick();
}
function back() { tries = 0; clearTimeout(retry); retry = undefined; offline.hidden = true; }

/**
 * Makes the frame in `root`; answers what the router calls: one function that draws an address, one that asks before
 * leaving.
 */
export function draw(root) {
  fill(root, h('a', {class: 'skip', href: '#page', onclick: (event) => { event.preventDefault(); main.focus(); }},
    'To the page'), bar, offline, h('div', {class: 'columns'}, left, main, side), notes);
  connect({signIn: (voice) => signIn(voice), offline: gone, online: back});
  listen();
  let voice = '';
  onVoices(() => {
    const now = JSON.stringify([userOf(here())?.userRecordName, userOf(here())?.device, operator()?.name, operator()?.role,
      unlockedUntil() > 0]);
    if (voice !== now && !inner?.dirty()) { voice = now; reload(); } else { top(); nav(); }
  });
  voice = JSON.stringify([userOf(here())?.userRecordName, userOf(here())?.device, operator()?.name, operator()?.role,
    unlockedUntil() > 0]);
  setInterval(() => { if (document.body.classList.contains('production') && !unlockedUntil()
    && bar.querySelector('.plain')?.textContent.startsWith('unlocked')) reload(); }, 5000);
  const jump = (name) => [pages[name]?.title.toLowerCase() ?? name,
    () => go(to(pages[name].path?.[0] ?? name, pages[name].path?.slice(1))), () => Boolean(pages[name])];
  keys({'Ctrl k': ['go to anything', palette], '?': ['the keys of this page', help],
    'Shift ?': ['the keys of this page', help],
    ...Object.fromEntries([['r', 'records'], ['s', 'subscriptions'], ['d', 'devices'], ['f', 'feed'], ['c', 'changes'],
      ['p', 'play'], ['o', 'overview']].filter(([, name]) => pages[name]).map(([letter, name]) => [`g ${letter}`,
      jump(name)])),
    Escape: ['close', () => drawer(false), () => document.body.classList.contains('with-left')]});
  window.addEventListener('beforeunload', (event) => { if (inner?.dirty()) event.preventDefault(); });
  if (service.codeError) note(`The code of the address was not taken: ${service.codeError.message}`,
    {kind: 'bad', seconds: 15});
  return [page, async () => mayClose()];
}
