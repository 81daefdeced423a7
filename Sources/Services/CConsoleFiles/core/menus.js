// What the frame shows when it is asked for: its menus, the keys, and why a page is not shown.
import {dialog, menu} from './dialog.js';
import {reload, signIn} from './frame.js';
import {allKeys} from './keys.js';
import {pages} from './pages.js';
import {format, go, here, to} from './router.js';
import {has, operator, preference, service, setPreference, userOf} from './session.js';
import {pickDevice, signOut} from './sign.js';
import {button, h} from './view.js';

/** The menu of containers and environments. */
export function scopes(opener) {
  const route = here();
  menu(opener, service.containers.map((one) => ({text: one.container, note: one.environment,
    on: one.container === route.container && one.environment === route.environment, act: () => go(format(one))})));
}

/** The menu of the tab's user and operator. */
export function voices(opener) {
  const scope = here();
  const user = userOf(scope);
  const other = () => window.open(location.href.replace(/#.*/s, '') + format({...scope}), '_blank', 'noopener');
  menu(opener, [{text: user ? 'Be another user in this tab' : 'Sign in as a user', icon: 'users', act: () => signIn('user')},
    ...(user ? [{text: user.device ? `Changes come from ${user.device}` : 'Changes come from no device', icon: 'devices',
      act: pickDevice}, {text: 'Open another tab', icon: 'plus', act: other},
    {text: 'Sign out', icon: 'close', act: () => signOut('user')}] : []), null,
    operator() ? {text: `Sign out operator ${operator().name}`, icon: 'key', act: () => signOut('operator')}
      : {text: 'Sign in as an operator', icon: 'credentials', act: () => signIn('operator')}]);
}

/** The menu of the scheme, of rows and of keys. */
export function looks(opener) {
  const scheme = preference('scheme', '');
  const pick = (text, value) => ({text, on: scheme === value, act: () => {
    setPreference('scheme', value);
    if (value) document.documentElement.dataset.scheme = value; else delete document.documentElement.dataset.scheme;
  }});
  const turn = (name, value) => setPreference(name, preference(name) === value ? '' : value);
  menu(opener, [pick('As the system', ''), pick('Light', 'light'), pick('Dark', 'dark'), null,
    {text: 'Wide rows', on: preference('rows') === 'wide', act: () => { turn('rows', 'wide'); reload(); }},
    {text: 'Keys of one letter', on: preference('letters') !== 'off', act: () => turn('letters', 'off')},
    {text: 'Keys of this page', icon: 'key', act: help}]);
}

/** The dialog of all keys that are good now. */
export function help() {
  dialog({title: 'Keys', body: h('dl', {class: 'keys'}, allKeys().map(([name, text]) =>
    [h('dt', null, name.split(' ').map((part) => h('kbd', null, part))), h('dd', null, text)]))});
}

/** The nodes of a page that needs another voice: who one is, what it needs, and how to get it. */
export function denied(known) {
  const {voice, title} = known;
  const name = `${here().page}/all`;
  document.title = `${title} · Fanfare`;
  return [h('h1', {tabindex: '-1'}, title), h('div', {class: 'box empty'},
    h('p', null, voice === 'user' ? 'This page speaks as a user, and nobody is signed in in this tab.'
      : `This page needs an operator. You are ${userOf(here())?.name ?? 'nobody'}, and no operator is signed in in this tab.`),
    voice === 'operator' && h('p', {class: 'quiet'}, h('code', null, 'fanfare console'),
      ' prints an address whose code is good once and for ten minutes. Who may sign in elsewhere is named by the setting ',
      h('code', null, 'operators=you@example.com=operator'), '.'),
    h('div', {class: 'row'}, button(voice === 'user' ? 'Sign in' : 'Sign in as an operator', {icon: 'users', kind: 'main'},
      () => signIn(voice)),
    // The page of all users, beside the one of the tab's user.
    operator() && pages[name] && has(pages[name].routes) && h('a', {class: 'button', href: to(here().page, ['all'])},
      pages[name].title)))];
}
