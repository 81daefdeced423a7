// What development's schema has and production's lacks: chosen by types and fields, and applied as it was seen.
import {operate} from '../core/api.js';
import {curl} from '../core/curl.js';
import {signIn} from '../core/frame.js';
import {act, code} from '../core/operate.js';
import {format, to} from '../core/router.js';
import {badge, emptyBox, errorBox, load} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked} from '../core/text.js';
import {button, fill, h, skeleton} from '../core/view.js';

const system = ['recordName', 'createdTimestamp', 'createdUserRecordName', 'modifiedTimestamp', 'modifiedUserRecordName'];
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

const changeList = (changes) => h('ul', {class: 'list short-list', tabindex: '0', 'aria-label': 'Changes'}, changes.map((text) =>
  h('li', null, h('span', {class: text.startsWith('+') ? 'good' : 'warn'}, text[0]), h('code', null, marked(text.slice(2), 300)))));

const conflictBox = (conflicts) => conflicts.length > 0 && h('div', {class: 'box bad-box', role: 'alert'},
  h('h2', null, 'This cannot be promoted'),
  h('ul', {class: 'bullets'}, conflicts.map((text) => h('li', null, marked(text, 500)))));

/** What production's users could do after it and not before, as sentences. */
function gains(changes) {
  const count = (holds) => changes.filter(holds).length;
  const made = count((one) => one.isNew);
  const fields = count((one) => one.field && !one.isNew);
  const indexed = count((one) => /(QUERYABLE|SORTABLE|SEARCHABLE)/.test(one.text));
  const rights = count((one) => one.text.startsWith('~'));
  return [made && `save records of ${plural(made, 'type')} that production refuses today`,
    fields && `save ${plural(fields, 'field')} that it refuses today`,
    indexed && `query, sort or search ${plural(indexed, 'field')}`,
      rights && `do what the rights of ${plural(rights, 'type')} say then`].filter(Boolean);
}

/** Opens the page. */
export function open(view) {
  const {container, environment} = view.route;
  const head = h('div', {class: 'page-head'}, h('a', {href: to('schema')}, 'Schema'), h('span', {class: 'quiet', 'aria-hidden': 'true'},
    '/'),
    view.title('Promote', badge('development → production')));
  if (environment !== 'production') return fill(view.root, head,
    emptyBox('A schema is promoted into production: look at what it lacks from there.',
    {actions: [h('a', {class: 'button main', href: format({container, environment: 'production', page: 'schema', parts: ['promote']})},
      'Go to production')]}));
  const off = view.barred()
    ?? (has(['schema/promote']) ? undefined : 'This build promotes by the command alone: fanfare schema promote.');
  const body = h('div', {class: 'stack grow'}, skeleton(6));
  const chosen = new Set();
  let all = [];
  let conflicts = [];
  const main = button('Promote …', {kind: 'main', icon: 'up', disabled: true, title: off}, promote);

  function draw(digest) {
    main.disabled = true;
    if (!all.length) return fill(body, conflictBox(conflicts), emptyBox('Production has all that development has.',
      {actions: [h('a', {class: 'button', href: to('schema')}, 'Schema')],
      curl: curl('operator', 'schema/difference', {})}));
    const types = [...new Set(all.map((one) => one.type))];
    const says = h('div', {class: 'box', 'aria-live': 'polite'});
    function count() {
      const list = all.filter((one) => chosen.has(one.type) || (one.field && chosen.has(`${one.type}.${one.field}`)));
      main.disabled = Boolean(off) || !list.length;
      fill(says, h('h2', null, list.length
        ? `${plural(list.length, 'change')} of ${grouped(all.length)}: after it production’s users could`
        : 'Choose what production shall have'),
        list.length > 0 && h('ul', {class: 'bullets'}, gains(list).map((text) => h('li', null, text))),
          h('p', {class: 'note'}, 'What production has is never taken away.'));
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
        && badge('new type', 'accent')),
        tick(type, h('b', null, `All of it: ${plural(list.length, 'change')}`)),
        h('ul', {class: 'tight-list parts'},
          list.map((one) => h('li', null, one.field ? tick(`${type}.${one.field}`, h('code', null, marked(one.text.slice(2), 300)), whole)
          : h('span', {class: 'with-all'}, h('code', {class: whole ? '' : 'quiet'}, marked(one.text.slice(2), 300)),
            !whole && h('span', {class: 'note'}, ' comes with all of it'))))));
    }
    fill(body, conflictBox(conflicts), says,
      h('div', {class: 'row'}, button('All', {}, () => { for (const type of types) chosen.add(type);
      draw(digest); }),
      button('None', {}, () => { chosen.clear(); draw(digest); }), h('span', {class: 'space'}), h('span', {class: 'note'}, 'as seen at'),
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
      if (seen.conflicts.length) return fill(body, conflictBox(seen.conflicts), button('Back', {}, redraw));
      const answer = await act(view, {title: 'Promote to production?',
        text: `${plural(seen.changes.length, 'change')} go to production, as listed. They do not come back out of it.`,
        what: changeList(seen.changes), yes: 'Promote', name: 'production', path: 'schema/promote',
          body: () => ({digest: seen.digest, ...(parts && {parts})}), done: 'Promoted.'});
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

  head.append(main, button('', {icon: 'refresh', label: 'Read again'}, () => redraw()));
  fill(view.root, head, h('p', {class: 'lead'},
    'It is applied as it is seen, or refused with CONFLICT where somebody changed one of both meanwhile.'),
    off && h('p', {class: 'warn'}, off), body);
  return redraw();
}
