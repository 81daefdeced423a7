// The side panel, beside the page that opened it.
import {confirm} from './dialog.js';
import {leaving, side} from './frame.js';
import {keys} from './keys.js';
import {texts} from './texts-parts.js';
import {button, fill, h} from './view.js';

/**
 * Opens the side panel. `content` are nodes; `dirty()` answers whether it has edits; `closed()` is called when it is gone.
 * Answers `{close(), end(), element, actions, title, focus(), isOpen()}`.
 */
export function panel({title, content, actions = [], dirty = () => false, closed = () => {}, key = {}}) {
  leaving.panel?.end();
  const before = document.activeElement;
  const body = h('div', {class: 'panel-body'}, content);
  const name = h('h2', {tabindex: '-1'}, title);
  const act = h('div', {class: 'row'}, actions);
  fill(side, h('div', {class: 'panel-head'}, name, act, button('', {icon: 'close', label: texts.closeThePanelEsc},
    () => close())), body);
  side.hidden = false;
  document.body.classList.add('with-panel');
  const away = keys({Escape: [texts.closeThePanel, () => close()], ...key});
  const own = {dirty, asks, end() {
    away();
    leaving.panel = undefined;
    side.hidden = true;
    side.replaceChildren();
    document.body.classList.remove('with-panel');
    closed();
    if (before?.isConnected) before.focus({preventScroll: true});
  }};
  const close = async () => { if (!dirty() || await asks()) own.end(); };
  leaving.panel = own;
  return {close, end: () => { if (leaving.panel === own) own.end(); }, element: body, actions: act, title: name,
    focus: () => name.focus(), isOpen: () => leaving.panel === own};
}

const asks = () => confirm({title: texts.leaveTheEditsAsk, text: texts.theyAreNot, yes: texts.leaveThem, danger: true});
