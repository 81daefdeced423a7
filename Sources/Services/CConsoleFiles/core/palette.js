// Go to anything: a page, a type, a device, a user, an ID that is pasted.
import {texts} from './texts-parts.js';
import {fill, h, icon} from './view.js';
import {later} from './controls.js';
import {device} from './api.js';
import {pages} from './pages.js';
import {go, here, to} from './router.js';
import {knownTypes} from './types.js';
import {has, userOf} from './session.js';

/** Opens the dialog that goes to what is typed. */
export function palette() {
  if (document.querySelector('dialog.palette')) return;
  const before = document.activeElement;
  const field = h('input', {type: 'search', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list',
    'aria-label': texts.goTo, autocomplete: 'off', spellcheck: 'false',
    placeholder: texts.aPageA});
  const list = h('ul', {id: 'palette-list', role: 'listbox', 'aria-label': texts.places});
  const element = h('dialog', {class: 'palette', 'aria-label': texts.goToAnything,
    onclose: () => { element.remove(); if (before?.isConnected) before.focus(); },
    onclick: (event) => { if (event.target === element) element.close(); }},
    h('div', {class: 'palette-field'}, icon('search'), field), list);
  let devices = [];
  let found = [];
  let at = 0;

  function places(text) {
    const scope = here();
    const all = Object.entries(pages).filter(([, page]) => !page.hidden
      && has(page.routes)).map(([name, page]) => ({text: page.title, sign: page.icon ?? name, note: page.group || texts.page,
      address: to(page.path?.[0] ?? name, page.path?.slice(1))}));
    for (const base of ['public', 'private', 'shared']) for (const type of knownTypes(base)) all.push({text: type,
      sign: 'records', note: texts.records2(base), address: to('records', [base, type])});
    for (const one of devices) all.push({text: one.deviceID, sign: 'feed',
      note: texts.feedWord(one.name ? texts.ofText2(one.name) : ''), address: to('feed', [one.deviceID])});
    const wanted = text.trim().toLowerCase();
    const good = all.filter((place) => !wanted || place.text.toLowerCase().includes(wanted)
      || place.note.toLowerCase().includes(wanted))
      .sort((a, b) => b.text.toLowerCase().startsWith(wanted) - a.text.toLowerCase().startsWith(wanted));
    const given = text.trim();
    if (given) {
      for (const type of knownTypes('public').slice(0, 3)) good.push({text: given, sign: 'search',
        note: texts.recordOf(type), address: to('records', ['public', type], {open: given})});
      good.push({text: given, sign: 'records', note: texts.asARecord, address: to('records', ['public', given])});
      if (pages.notification && has(pages.notification.routes)) good.push({text: given, sign: 'bell', note: texts.notification,
        address: to('notification', [given])});
      if (pages.users && has(pages.users.routes)) good.push({text: given, sign: 'users', note: texts.user,
        address: to('users', [], {search: given})});
    }
    return good.slice(0, 12).map((place) => ({...place, scope}));
  }

  function draw() {
    found = places(field.value);
    at = Math.min(at, Math.max(0, found.length - 1));
    fill(list, found.map((place, index) =>
      h('li', {role: 'option', id: `place-${index}`, 'aria-selected': String(index === at), class: index === at ? 'at'
      : '', onclick: () => take(place)}, icon(place.sign), h('span', {class: 'cut'}, place.text),
      h('span', {class: 'quiet'}, place.note))));
    if (found.length) field.setAttribute('aria-activedescendant', `place-${at}`);
      else field.removeAttribute('aria-activedescendant');
    list.children[at]?.scrollIntoView({block: 'nearest'});
  }

  function take(place) {
    element.close();
    go(place.address);
  }

  field.addEventListener('input', () => { at = 0; draw(); });
  field.addEventListener('keydown', (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step) { at = (at + step + found.length) % Math.max(1, found.length); draw(); event.preventDefault(); }
    if (event.key === 'Enter' && found[at]) { take(found[at]); event.preventDefault(); }
  });
  document.body.append(element);
  element.showModal();
  field.focus();
  draw();
  if (userOf(here())) later(0, async () => { devices = (await device('devices/list').catch(() => ({devices: []}))).devices;
    draw(); })();
}
