// Dialogs, menus, and short messages at the foot of the page.
import './icons.js';
import {texts} from './texts-parts.js';
import {button, fill, h, icon, sheet} from './view.js';
import {copy} from './controls.js';

await sheet('parts.css');

/**
 * Opens a dialog and answers a promise of what closed it: a button's `value`, or undefined. `actions` are
 * `{text, value, kind, act}`; `act` may answer false, or a promise of it, to keep the dialog open. `body` is a node or
 * nodes.
 */
export function dialog({title, body, actions = [], wide, closable = true}) {
  const before = document.activeElement;
  return new Promise((resolve) => {
    const id = `dialog-${Math.random().toString(36).slice(2)}`;
    const fault = h('p', {class: 'bad', role: 'alert', hidden: true});
    const run = async (action) => {
      fault.hidden = true;
      try {
        if (action.act && await action.act() === false) return;
        element.close();
        resolve(action.value);
      } catch (error) {
        fault.hidden = false;
        fill(fault, error.code ? `${error.code}: ` : '', error.message);
      }
    };
    const main = actions.find((action) => action.kind === 'main' || action.kind === 'danger');
    const element = h('dialog', {class: wide ? 'wide' : '', 'aria-labelledby': id,
      oncancel: (event) => { event.preventDefault(); if (closable) { element.close(); resolve(undefined); } },
      onclose: () => { element.remove(); resolve(undefined); if (before?.isConnected) before.focus(); },
      onkeydown: (event) => {
        const enters = event.key === 'Enter'
          && (event.ctrlKey || event.metaKey || event.target.matches('input:not([type=checkbox])'));
        if (main && enters) { event.preventDefault(); run(main); }
      }},
    h('div', {class: 'dialog-head'}, h('h2', {id}, title), closable
      && button('', {icon: 'close', label: texts.close}, () => element.close())),
    h('div', {class: 'dialog-body'}, body, fault),
    actions.length > 0 && h('div', {class: 'dialog-foot'}, actions.map((action) =>
      button(action.text, {kind: action.kind}, () => run(action)))));
    document.body.append(element);
    element.showModal();
    (element.querySelector('[autofocus]')
      ?? element.querySelector('.dialog-body input, .dialog-body select, .dialog-body textarea'))?.focus();
  });
}

/**
 * Asks a question, and answers a promise of a yes or a no. `what` are nodes below the text. With `name` it has to be typed first, as
 * production wants it.
 */
export async function confirm({title, text, what, yes, danger, name}) {
  const typed = h('input', {autocomplete: 'off', spellcheck: 'false'});
  const wrong = h('p', {class: 'note'});
  return await dialog({title,
    body: [h('p', null, text), what, name
    && h('label', {class: 'labelled'}, h('span', {class: 'label'}, texts.type, h('b', null, name), texts.toGoOn), typed),
    name && wrong],
    actions: [{text: texts.cancel}, {text: yes, value: true, kind: danger ? 'danger' : 'main', act: () => {
      if (!name || typed.value === name) return true;
      fill(wrong, texts.thatIsAnother);
      typed.focus();
      return false;
    }}]}) === true;
}

/** Shows a menu below a button. Items are `{text, icon, act, off, on}`, or null for a line. */
export function menu(opener, items) {
  const before = opener;
  const element = h('div', {class: 'menu', role: 'menu', popover: 'auto', 'aria-label': opener.getAttribute('aria-label')
    ?? opener.textContent,
    onkeydown: (event) => {
      const all = [...element.querySelectorAll('[role^=menuitem]:not([disabled])')];
      const at = all.indexOf(document.activeElement);
      const next = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1}[event.key];
      if (next !== undefined) { event.preventDefault(); all.at(next % all.length)?.focus(); }
      if (event.key === 'Tab') element.hidePopover();
    },
    ontoggle: (event) => {
      if (event.newState !== 'closed') return;
      opener.setAttribute('aria-expanded', 'false');
      if (!document.activeElement || document.activeElement === document.body
        || element.contains(document.activeElement)) before.focus();
      element.remove();
    }},
  items.map((entry) => entry === null ? h('hr', {role: 'separator'})
    : h('button', {type: 'button', role: entry.on === undefined ? 'menuitem' : 'menuitemradio',
      'aria-checked': entry.on === undefined ? undefined : String(Boolean(entry.on)), disabled: Boolean(entry.off),
      title: typeof entry.off === 'string' ? entry.off : undefined,
      class: entry.danger ? 'bad' : '', onclick: () => { element.hidePopover(); entry.act(); }},
    h('span', {class: 'menu-sign'}, entry.on ? icon('check') : entry.icon && icon(entry.icon)), entry.text, entry.note
      && h('span', {class: 'note'}, entry.note))));
  opener.parentElement.append(element);
  opener.setAttribute('aria-haspopup', 'menu');
  opener.setAttribute('aria-expanded', 'true');
  element.showPopover();
  const box = opener.getBoundingClientRect();
  const own = element.getBoundingClientRect();
  element.style.left = `${Math.max(8, Math.min(box.left, innerWidth - own.width - 8))}px`;
  element.style.top = `${box.bottom + own.height + 4 > innerHeight && box.top > own.height ? box.top - own.height - 4 : box.bottom + 4}px`;
  element.querySelector('[role^=menuitem]:not([disabled])')?.focus();
}

/** Shows a short message. `action` is `{text, act}`; it goes after `seconds`, counted down where there is an action. */
export function note(text, {action, kind = '', seconds = action ? 10 : 4} = {}) {
  const left = h('span', {class: 'quiet', 'aria-hidden': 'true'});
  const element = h('div', {class: `note-box ${kind}`}, h('span', null, text),
    action && button(action.text, {kind: 'plain'}, () => { end(); action.act(); }), action && left,
      button('', {icon: 'close', label: texts.dismiss}, () => end()));
  const end = () => { clearInterval(timer); element.remove(); };
  let rest = seconds;
  const timer = setInterval(() => { rest -= 1; left.textContent = `${rest} s`; if (rest <= 0) end(); }, 1000);
  left.textContent = `${rest} s`;
  const place = document.querySelector('.notes');
  place.append(element);
  while (place.children.length > 4) place.firstChild.remove();
  return end;
}

/** Copies a text, and says so. */
export async function copied(text, what) {
  note(await copy(text) ? texts.copied(what) : texts.theBrowserDid);
}
