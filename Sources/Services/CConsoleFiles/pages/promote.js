// What development's schema has and production's lacks: chosen by parts, and applied as it was seen.
import {curl, operate} from '../core/api.js';
import {note} from '../core/dialog.js';
import {signIn} from '../core/frame.js';
import {act, code} from '../core/operate.js';
import {to} from '../core/router.js';
import {badge, emptyBox, errorBox, load, skeleton} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked, plain} from '../core/values.js';
import {button, fill, h} from '../core/view.js';

const nameOf = (part) => part.name ?? part;
const typeOf = (part) => part.recordType ?? /^record type (\S+)/.exec(nameOf(part))?.[1] ?? nameOf(part).split(/[. ]/)[0];
const plural = (count, one) => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

/** What production's users could do after it and not before, as sentences. */
function gains(parts) {
  const made = parts.filter((part) => /^record type /.test(nameOf(part))).length;
  const grants = parts.filter((part) => /grant/i.test(nameOf(part))).length;
  const indexed = parts.filter((part) => /QUERYABLE|SORTABLE|SEARCHABLE/.test(nameOf(part))).length;
  return [made && `save records of ${plural(made, 'type')} that production refuses today`, indexed && `query by, sort by or search ${plural(indexed, 'field')}`, grants && `do what ${plural(grants, 'permission')} allow`].filter(Boolean);
}

/** Opens the page. */
export function open(view) {
  const production = view.route.environment === 'production';
  const off = view.barred() ?? (has(['schema/promote']) ? undefined : 'This build promotes by the command alone: fanfare schema promote.');
  const body = h('div', {class: 'stack'}, skeleton(6));
  const chosen = new Set();
  let difference;
  const main = button('Promote …', {kind: 'main', icon: 'up', disabled: true, title: off}, promote);

  function draw() {
    const parts = difference.parts;
    const groups = Object.entries(Object.groupBy ? Object.groupBy(parts, typeOf) : parts.reduce((all, part) => ({...all, [typeOf(part)]: [...(all[typeOf(part)] ?? []), part]}), {}));
    const says = h('div', {class: 'box', 'aria-live': 'polite'});
    const count = () => {
      main.disabled = Boolean(off) || !chosen.size;
      const list = gains(parts.filter((part) => chosen.has(nameOf(part))));
      fill(says, h('h2', null, chosen.size ? `${plural(chosen.size, 'part')} of ${grouped(parts.length)}: after it production’s users could` : 'Choose what production shall have'), list.length > 0 && h('ul', {class: 'bullets'}, list.map((text) => h('li', null, text))), chosen.size > 0 && h('p', {class: 'note'}, 'What production has is never taken away. A part that needs another comes with it.'));
    };
    const tick = (part) => { const name = nameOf(part); return h('label', {class: 'check'}, h('input', {type: 'checkbox', checked: chosen.has(name), onchange: (event) => { if (event.target.checked) chosen.add(name); else chosen.delete(name); count(); }}), h('code', null, marked(name, 200))); };
    if (!parts.length) { main.disabled = true; return fill(body, emptyBox('Production has all that development has.', {actions: [h('a', {class: 'button', href: to('schema')}, 'Schema')], curl: curl('operator', 'schema/difference', {})})); }
    fill(body, says, h('div', {class: 'row'}, button('All', {}, () => { for (const part of parts) chosen.add(nameOf(part)); draw(); }), button('None', {}, () => { chosen.clear(); draw(); }), h('span', {class: 'space'}), h('span', {class: 'note'}, 'as seen at'), code(difference.digest)),
      groups.map(([type, list]) => h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, marked(type, 80)), list.some((part) => /^record type /.test(nameOf(part))) ? badge('new type', 'accent') : badge('new parts'), button('All of it', {kind: 'plain', 'aria-label': `All of ${plain(type, 60)}`}, () => { for (const part of list) chosen.add(nameOf(part)); draw(); })), h('div', {class: 'stack tight-list'}, list.map(tick)))));
    return count();
  }

  async function promote() {
    const parts = difference.parts.map(nameOf).filter((name) => chosen.has(name));
    try {
      const answer = await act({...view, route: {...view.route, environment: 'production'}}, {title: 'Promote to production?', text: `${plural(parts.length, 'part')} of the schema go to production. They do not come back out of it.`, what: h('ul', {class: 'list short-list', tabindex: '0'}, parts.map((name) => h('li', null, h('span', {class: 'good'}, '+'), h('code', null, marked(name, 200))))),
        yes: 'Promote', name: 'production', path: 'schema/promote', body: () => ({digest: difference.digest, ...(parts.length < difference.parts.length && {parts})}), done: 'Promoted.'});
      if (answer) { chosen.clear(); redraw(); }
    } catch (error) { fill(body, errorBox(error, redraw)); }
  }

  async function redraw() {
    await load(body, async () => {
      const before = difference?.digest;
      difference = await operate('schema/difference', {}, {signal: view.signal});
      if (before && before !== difference.digest && chosen.size) note('The difference is another one now: choose again.');
      for (const name of [...chosen]) if (!difference.parts.some((part) => nameOf(part) === name)) chosen.delete(name);
      draw();
    }, {signal: view.signal, signIn: () => signIn('operator')});
  }

  fill(view.root, h('div', {class: 'page-head'}, h('a', {href: to('schema')}, 'Schema'), h('span', {class: 'quiet', 'aria-hidden': 'true'}, '/'), view.title('Promote', badge(production ? 'into production' : 'development → production')), main, button('', {icon: 'refresh', label: 'Read again'}, () => redraw())),
    h('p', {class: 'lead'}, 'It is applied as seen here, or refused with CONFLICT where somebody changed one of both meanwhile.'), body);
  redraw();
}
