// What development's schema has and production's lacks: chosen by types and fields, and applied as it was seen.
import {operate} from '../core/api.js';
import {curl} from '../core/curl.js';
import {signIn} from '../core/frame.js';
import {act, code} from '../core/operate.js';
import {format, to} from '../core/router.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked} from '../core/text.js';
import {texts} from '../core/texts-schema.js';
import {button, fill, h, skeleton} from '../core/view.js';

const system = [texts.recordname, 'createdTimestamp', 'createdUserRecordName', 'modifiedTimestamp', 'modifiedUserRecordName'];
const plural = (count, one) => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

/** A change as the service writes it, with the type and the field that it belongs to. */
function read(text, types) {
  const rest = text.slice(2);
  const made = /^record type (.+)$/.exec(rest);
  if (made) return {text, type: made[1], isNew: true};
  const on = /^subscription on (\S+)/.exec(rest);
  if (on) return {text, type: on[1]};
  const type = types.filter((name) => rest.startsWith(name) && /^[.:]/.test(rest.slice(name.length))).sort((a, b) => b.length - a.length)[
    0]
    ?? rest.split(/[.: ]/)[0];
  const field = rest[type.length] === '.' ? rest.slice(type.length + 1).split(' ')[0] : undefined;
  return {text, type, field: field && !system.includes(field) ? field : undefined};
}

const changeList = (changes) => h('ul', {class: 'list short-list', tabindex: '0', 'aria-label': texts.changes}, changes.map((text) =>
  h('li', null, h('span', {class: text.startsWith('+') ? 'good' : 'warn'}, text[0]), h('code', null, marked(text.slice(2), 300)))));

const conflictBox = (conflicts) => conflicts.length > 0 && h('div', {class: 'box bad-box', role: 'alert'},
  h('h2', null, texts.thisCannotBe),
  h('ul', {class: 'bullets'}, conflicts.map((text) => h('li', null, marked(text, 500)))));

/** What production's users could do after it and not before, as sentences. */
function gains(changes) {
  const count = (holds) => changes.filter(holds).length;
  const made = count((one) => one.isNew);
  const fields = count((one) => one.field && !one.isNew);
  const indexed = count((one) => /(QUERYABLE|SORTABLE|SEARCHABLE)/.test(one.text));
  const rights = count((one) => one.text.startsWith('~'));
  return [made && texts.saveRecordsOf(plural(made, texts.type)),
    fields && texts.saveThatIt(plural(fields, texts.field)),
    indexed && texts.querySortOr(plural(indexed, texts.field)),
      rights && texts.doWhatThe(plural(rights, texts.type))].filter(Boolean);
}

/** Opens the page. */
export function open(view) {
  const {container, environment} = view.route;
  const head = h('div', {class: 'page-head'}, h('a', {href: to('schema')}, texts.schema), h('span', {class: 'quiet', 'aria-hidden': 'true'},
    '/'),
    view.title(texts.promote, badge(texts.developmentProduction)));
  if (environment !== 'production') return fill(view.root, head,
    emptyBox(texts.aSchemaIs,
    {actions: [h('a', {class: 'button main', href: format({container, environment: 'production', page: 'schema', parts: ['promote']})},
      texts.goToProduction2)]}));
  const off = view.barred()
    ?? (has(['schema/promote']) ? undefined : texts.thisBuildPromotes);
  const body = h('div', {class: 'stack grow'}, skeleton(6));
  const chosen = new Set();
  let all = [];
  let conflicts = [];
  const main = button(texts.promoteMore, {kind: 'main', icon: 'up', disabled: true, title: off}, promote);

  function draw(digest) {
    main.disabled = true;
    if (!all.length) return fill(body, conflictBox(conflicts), emptyBox(texts.productionHasAll,
      {actions: [h('a', {class: 'button', href: to('schema')}, texts.schema)],
      curl: curl('operator', 'schema/difference', {})}));
    const types = [...new Set(all.map((one) => one.type))];
    const says = h('div', {class: 'box', 'aria-live': 'polite'});
    function count() {
      const list = all.filter((one) => chosen.has(one.type) || (one.field && chosen.has(`${one.type}.${one.field}`)));
      main.disabled = Boolean(off) || !list.length;
      fill(says, h('h2', null, list.length
        ? texts.ofAfterIt(plural(list.length, texts.change), grouped(all.length))
        : texts.chooseWhatProduction),
        list.length > 0 && h('ul', {class: 'bullets'}, gains(list).map((text) => h('li', null, text))),
          h('p', {class: 'note'}, texts.whatProductionHas));
    }
    function card(type) {
      const list = all.filter((one) => one.type === type);
      const whole = chosen.has(type);
      const tick = (name, label, disabled) => h('label', {class: 'check'},
        h('input', {type: 'checkbox', checked: whole || chosen.has(name), disabled, onchange: (event) => {
        if (event.target.checked) chosen.add(name); else chosen.delete(name);
        if (name === type) draw(digest); else count();
      }}), label);
      return h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, marked(type, 80)), list.some((one) => one.isNew)
        && badge(texts.newType, 'accent')),
        tick(type, h('b', null, texts.allOfIt(plural(list.length, texts.change)))),
        h('ul', {class: 'tight-list parts'},
          list.map((one) => h('li', null, one.field ? tick(`${type}.${one.field}`, h('code', null, marked(one.text.slice(2), 300)), whole)
          : h('span', {class: 'with-all'}, h('code', {class: whole ? '' : 'quiet'}, marked(one.text.slice(2), 300)),
            !whole && h('span', {class: 'note'}, texts.comesWithAll))))));
    }
    fill(body, conflictBox(conflicts), says,
      h('div', {class: 'row'}, button(texts.all, {}, () => { for (const type of types) chosen.add(type);
      draw(digest); }),
      button(texts.none, {}, () => { chosen.clear(); draw(digest); }), h('span', {class: 'space'}),
        h('span', {class: 'note'}, texts.asSeenAt),
        code(digest)), types.map(card));
    return count();
  }

  async function promote() {
    const types = new Set(all.map((one) => one.type));
    const whole = [...types].every((type) => chosen.has(type));
    const parts = whole ? undefined : [...chosen].filter((name) => types.has(name)
      || !chosen.has(all.find((one) => `${one.type}.${one.field}` === name)?.type));
    try {
      const seen = await operate('schema/difference', parts ? {parts} : {}, {signal: view.signal});
      if (seen.conflicts.length) return fill(body, conflictBox(seen.conflicts), button(texts.back, {}, redraw));
      const answer = await act(view, {title: texts.promoteToProductionAsk,
        text: texts.goToProduction(plural(seen.changes.length, texts.change)),
        what: changeList(seen.changes), yes: texts.promote, name: 'production', path: 'schema/promote',
          body: () => ({digest: seen.digest, ...(parts && {parts})}), done: texts.promoted});
      if (answer) { chosen.clear(); redraw(); }
    } catch (error) { if (!view.signal.aborted) fill(body, errorBox(error, redraw)); }
    return undefined;
  }

  async function redraw() {
    await load(body, async () => {
      const [seen, schema] = await Promise.all([operate('schema/difference', {}, {signal: view.signal}),
        operate('schema', {}, {signal: view.signal})]);
      if (view.signal.aborted) return;
      const types = [...schema.recordTypes.map((one) => one.recordType),
        ...seen.changes.map((text) => /^\+ record type (.+)$/.exec(text)?.[1]).filter(Boolean)];
      all = seen.changes.map((text) => read(text, types));
      conflicts = seen.conflicts;
      draw(seen.digest);
    }, {signal: view.signal, signIn: () => signIn('operator')});
  }

  head.append(main, button('', {icon: 'refresh', label: texts.readAgain}, () => redraw()));
  fill(view.root, head, h('p', {class: 'lead'},
    texts.itIsApplied),
    off && h('p', {class: 'warn'}, off), body);
  return redraw();
}
