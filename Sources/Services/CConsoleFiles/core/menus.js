// What the frame shows when it is asked for: its menus, the keys, and why a page is not shown.
import {dialog, menu} from './dialog.js';
import {reload, signIn} from './frame.js';
import {allKeys} from './keys.js';
import {pages} from './pages.js';
import {format, go, here, to} from './router.js';
import {has, operator, preference, service, setPreference, userOf} from './session.js';
import {pickDevice, signOut} from './sign.js';
import {texts} from './texts-parts.js';
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
  menu(opener, [{text: user ? texts.beAnotherUser : texts.signInAsA, icon: 'users', act: () => signIn('user')},
    ...(user ? [{text: user.device ? texts.changesComeFrom2(user.device) : texts.changesComeFrom, icon: 'devices',
      act: pickDevice}, {text: texts.openAnotherTab, icon: 'plus', act: other},
    {text: texts.signOut, icon: 'close', act: () => signOut('user')}] : []), null,
    operator() ? {text: texts.signOutOperator(operator().name), icon: 'key', act: () => signOut('operator')}
      : {text: texts.signInAs, icon: 'credentials', act: () => signIn('operator')}]);
}

/** The menu of the scheme, of rows and of keys. */
export function looks(opener) {
  const scheme = preference('scheme', '');
  const pick = (text, value) => ({text, on: scheme === value, act: () => {
    setPreference('scheme', value);
    if (value) document.documentElement.dataset.scheme = value; else delete document.documentElement.dataset.scheme;
  }});
  const turn = (name, value) => setPreference(name, preference(name) === value ? '' : value);
  menu(opener, [pick(texts.asTheSystem, ''), pick('Light', 'light'), pick('Dark', 'dark'), null,
    {text: texts.wideRows, on: preference('rows') === 'wide', act: () => { turn('rows', 'wide'); reload(); }},
    {text: texts.keysOfOne, on: preference('letters') !== 'off', act: () => turn('letters', 'off')},
    {text: texts.keysOfThis, icon: 'key', act: help}]);
}

/** The dialog of all keys that are good now. */
export function help() {
  dialog({title: texts.keys, body: h('dl', {class: 'keys'}, allKeys().map(([name, text]) =>
    [h('dt', null, name.split(' ').map((part) => h('kbd', null, part))), h('dd', null, text)]))});
}

/** The nodes of a page that needs another voice: who one is, what it needs, and how to get it. */
export function denied(known) {
  const {voice, title} = known;
  const name = `${here().page}/all`;
  document.title = texts.fanfare(title);
  return [h('h1', {tabindex: '-1'}, title), h('div', {class: 'box empty'},
    h('p', null, voice === 'user' ? texts.thisPageSpeaks
      : texts.thisPageNeeds(userOf(here())?.name ?? texts.nobody)),
    voice === 'operator' && h('p', {class: 'quiet'}, h('code', null, texts.fanfareConsole),
      texts.printsAnAddress,
      h('code', null, 'operators=you@example.com=operator'), '.'),
    h('div', {class: 'row'}, button(voice === 'user' ? texts.signIn : texts.signInAs, {icon: 'users', kind: 'main'},
      () => signIn(voice)),
    // The page of all users, beside the one of the tab's user.
    operator() && pages[name] && has(pages[name].routes) && h('a', {class: 'button', href: to(here().page, ['all'])},
      pages[name].title)))];
}
