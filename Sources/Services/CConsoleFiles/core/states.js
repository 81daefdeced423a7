// States of a page and its parts: loading, empty, failed, denied.
import './icons.js';
import {texts} from './texts-parts.js';
import {button, h} from './view.js';
import {plain} from './text.js';

const advice = {
  ACCESS_DENIED: texts.signInAsSomebody,
    AUTHENTICATION_REQUIRED: texts.signInFirst,
  OFFLINE: texts.itIsConnected, ZONE_NOT_FOUND: texts.theZoneIs,
};

const copied = async (text, what) => (await import('./dialog.js')).copied(text, what);

/**
 * An error as a box: code, reason, the request's ID to copy, and *try again*. THROTTLED and the like count down and try
 * again by
 * themselves. `signIn` is offered where a voice is missing.
 */
export function errorBox(error, again, signIn) {
  const waits = error.retryAfter && again ? Math.ceil(error.retryAfter) : 0;
  const retry = again && button(waits ? texts.againInS(waits) : texts.tryAgain, {icon: 'refresh'},
    () => { clearInterval(timer); again(); });
  let rest = waits;
  const timer = waits ? setInterval(() => {
    rest -= 1;
    if (!retry.isConnected && rest < waits - 1) return clearInterval(timer);
    retry.lastChild.textContent = texts.againInS(Math.max(0, rest));
    if (rest <= 0) { clearInterval(timer); again(); }
  }, 1000) : undefined;
  return h('div', {class: 'box bad-box', role: 'alert'},
    h('p', null, h('b', {class: 'code'}, error.code ?? 'ERROR'), ' ', plain(error.message ?? String(error), 1000)),
    advice[error.code] && h('p', {class: 'quiet'}, advice[error.code]),
    h('div', {class: 'row'}, retry, signIn && button(texts.signIn, {icon: 'users', kind: 'main'}, signIn),
      error.request && button(texts.copyTheRequest, {icon: 'copy', kind: 'plain'},
        () => copied(error.request, error.request))));
}

/** An empty place: one sentence, buttons, and a line of `curl` that does the same. */
export function emptyBox(text, {actions = [], curl, sign} = {}) {
  return h('div', {class: 'box empty'}, sign, h('p', null, text), actions.length > 0 && h('div', {class: 'row'}, actions),
    curl && h('div', {class: 'curl'}, h('code', {tabindex: '0', 'aria-label': texts.theSameAs}, curl),
      button('', {icon: 'copy', label: texts.copyAsCurl}, () => copied(curl, texts.aCurlLine))));
}

/**
 * Runs a promise for a part of a page: what was there stays, quieter, with a thin bar after 150 ms; an error takes its
 * place.
 * Answers what the promise gives, undefined after an error or where the page was left.
 */
export async function load(part, work, {signal, signIn} = {}) {
  const wait = setTimeout(() => part.classList.add('loading'), 150);
  part.setAttribute('aria-busy', 'true');
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) return undefined;
    if (!error.code) throw error;
    part.replaceChildren(errorBox(error, () => load(part, work, {signal, signIn}),
      ['AUTHENTICATION_REQUIRED', 'ACCESS_DENIED'].includes(error.code) ? signIn : undefined));
    return undefined;
  } finally {
    clearTimeout(wait);
    part.classList.remove('loading');
    part.removeAttribute('aria-busy');
  }
}

/** A badge with a word: `kind` is `good`, `warn`, `bad`, `accent` or nothing. */
export const badge = (text, kind = '') => h('span', {class: `badge ${kind}`}, text);
