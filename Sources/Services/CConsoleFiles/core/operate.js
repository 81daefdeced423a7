// What the operator's pages share: lists by pages, acts that ask first, secrets that are shown once.
import {operate} from './api.js';
import {curl} from './curl.js';
import {copied, dialog, note} from './dialog.js';
import {signIn} from './frame.js';
import {grid} from './grid.js';
import {amend, here} from './router.js';
import {emptyBox, errorBox} from './states.js';
import {grouped, marked, plain} from './text.js';
import {texts} from './texts-parts.js';
import {button, fill, h, sheet} from './view.js';
import {download, labelled, later} from './controls.js';

await sheet('operator.css');

const page = 200;

/** A name that is one of a service's: record names, digests, paths. Short, the whole one on hover and in copies. */
export function code(text, most = 24) {
  if (text === undefined || text === null || text === '') return h('span', {class: 'quiet'}, '–');
  const whole = String(text);
  const brief = /^_?[0-9a-f-]{28,}$/.test(whole) && whole.length > most ? `${whole.slice(0, 7)}…${whole.slice(-4)}` : undefined;
  return h('code', {title: brief && whole}, brief ?? marked(whole, 200));
}

/** A list of facts: pairs of name and node; absent ones are left out. */
export const facts = (pairs) => h('dl', {class: 'facts'}, pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null)
  .map(([name, value]) => [h('dt', null, name), h('dd', null, value)]));

/**
 * Asks, and sends an operator's change. `text` says what it does; `name` has to be typed in production, or everywhere with `always`.
 * `what` are nodes that say what would go, or a promise of them. Answers the service's answer, or undefined.
 */
export async function act(view, {title, text, what, yes, danger = false, name, always = false, path, body, done}) {
  const typed = name && (always || view.route.environment === 'production') ? h('input', {autocomplete: 'off', spellcheck: 'false'})
    : undefined;
  const place = h('div', {class: 'stack', 'aria-live': 'polite'});
  if (what) Promise.resolve(what).then((nodes) => fill(place, nodes), (error) => fill(place, errorBox(error)));
  let answer;
  const went = await dialog({title,
    body: [h('p', null, text), place, typed && labelled([texts.type, h('b', null, marked(name, 120)), texts.toGoOn], typed)],
    actions: [{text: texts.cancel},
    {text: yes, kind: danger ? 'danger' : 'main', value: true, act: async () => {
      if (typed && typed.value !== name) { typed.setAttribute('aria-invalid', 'true'); typed.focus(); return false; }
      answer = await operate(path, body());
    }}]});
  if (went !== true) return undefined;
  if (done) note(done);
  return answer ?? {};
}

/** Shows a secret once, in a dialog that says so. `file` is a name to save it under. */
export async function once({title, text, secret, file}) {
  await dialog({title, closable: false,
    body: [h('div', {class: 'box warn-box'}, h('p', null, h('b', null, texts.thisIsShown),
    texts.theServiceKeeps)), h('p', null, text),
    h('pre', {class: 'json', tabindex: '0', role: 'region', 'aria-label': texts.theSecret2}, secret)],
      actions: [{text: texts.copy, act: async () => { await copied(secret, texts.theSecret); return false; }},
    file && {text: texts.saveAsA, act: () => { download(file, new Blob([secret], {type: 'text/plain'})); return false; }},
      {text: texts.iHaveIt, kind: 'main', value: true}].filter(Boolean)});
}

/**
 * A page of a list. `path` is the route, `body(query)` what is sent beside pages, `items(answer)` its items; `columns` and `key` are
 * those of a grid, `open(item)` shows one. `search` is `{label, name}` of a member that the service searches; without it what was read
 * is filtered here. `pages` names the member that goes on from an answer's `next` (`after`, `before`), by `limit` at a time; without it
 * an answer is whole.
 * `empty` is `{text, actions}`. `tools` are nodes beside the search. Answers `{redraw(), table, items(), find(key)}`.
 */
export function listing(view, {title, lead, path, body = () => ({}), items, columns, key, open, search, pages, limit = page, empty = {},
  tools = [],
  actions = [], noun = 'entries', filter = true}) {
  view.root.classList.add('full');
  const field = h('input', {type: 'search', 'aria-label': search?.label ?? texts.filter, placeholder: search?.label ?? texts.filterWhatIs,
    value: view.route.query.search ?? '', autocomplete: 'off', spellcheck: 'false'});
  const status = h('span', {role: 'status'});
  const message = h('div', {class: 'message'});
  let list = [];
  let marker;
  let whole = false;
  let reading;
  const table = grid({label: title, columns, key, open, more: () => more()});

  function shown() {
    const wanted = search ? '' : field.value.trim().toLowerCase();
    const good = wanted ? list.filter((one) => JSON.stringify(one).toLowerCase().includes(wanted)) : list;
    table.element.hidden = !good.length;
    table.rows(good, whole);
    fill(status, list.length ? `${wanted ? texts.ofText(grouped(good.length)) : ''}${grouped(list.length)}${whole ? '' : '+'} ${noun}`
      : '');
    if (good.length) fill(message);
    else if (whole && field.value.trim()) fill(message,
      emptyBox(h('span', null, texts.nothingMatches, h('code', null, plain(field.value.trim(), 100)), '.'),
      {actions: [button(texts.clear, {kind: 'main'}, () => { field.value = ''; changed(); })]}));
    else if (whole) fill(message, emptyBox(empty.text ?? texts.thereAreNo(noun),
      {actions: empty.actions, curl: curl('operator', path, body(here().query))}));
  }

  async function more() {
    if (reading || whole) return;
    const own = reading = {};
    const wait = setTimeout(() => view.root.classList.add('loading'), 150);
    try {
      const wanted = search && field.value.trim();
      const answer = await operate(path, {...body(here().query), ...(wanted && {[search.name]: wanted}),
        ...(pages && {limit, ...(marker !== undefined && {[pages]: marker})})}, {signal: view.signal});
      if (own !== reading) return;
      reading = undefined;
      marker = answer.next;
      whole = !pages || marker === undefined;
      const read = items(answer);
      list = list.concat(read);
      shown();
      if (!whole && !read.length) queueMicrotask(more);
    } catch (error) {
      if (own !== reading || view.signal.aborted) return;
      reading = undefined;
      if (!error.code) throw error;
      whole = true;
      table.element.hidden = !list.length;
      fill(message, errorBox(error, redraw, ['AUTHENTICATION_REQUIRED', 'AUTHENTICATION_FAILED'].includes(error.code)
        ? () => signIn('operator') : undefined));
    } finally { clearTimeout(wait); view.root.classList.remove('loading'); }
  }

  function redraw() { reading = undefined; list = []; marker = undefined; whole = false; return more(); }
  function changed() { amend({search: field.value.trim() || undefined}); if (search) redraw(); else shown(); }
  field.addEventListener('input', later(search ? 300 : 60, changed));
  fill(view.root, h('div', {class: 'page-head'}, view.title(title), actions, button('', {icon: 'refresh', label: texts.readAgain},
    () => redraw())), lead && h('p', {class: 'lead'}, lead),
    (filter || tools.length > 0) && h('div', {class: 'tools'}, filter && h('div', {class: 'filter'}, field), tools), message,
      table.element,
      h('div', {class: 'under-grid'}, status));
  table.element.hidden = true;
  view.keys({'/': [texts.theFilter, () => { field.focus(); field.select(); }]});
  redraw();
  return {redraw, table, items: () => list, find: (wanted) => list.find((one) => key(one) === wanted)};
}
