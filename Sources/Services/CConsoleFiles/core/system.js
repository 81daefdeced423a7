// What an operator sees of the service at a glance: whether it is ready, what is late, what is set aside.
import {operate} from './api.js';
import './operate.js';
import {to} from './router.js';
import {badge, load} from './states.js';
import {has} from './session.js';
import {texts} from './texts-parts.js';
import {rememberType} from './types.js';
import {grouped, marked} from './text.js';
import {fill, h, skeleton} from './view.js';

/** A card of the service, for operators. */
export function systemCard(view) {
  const card = h('section', {class: 'card', 'aria-label': texts.service}, skeleton(2));
  const figure = (text, name, page, kind) => h(has(page.needs) ? 'a' : 'div', {class: 'figure', href: has(page.needs) ? to(page.name)
    : undefined}, h('b', {class: kind}, text), h('span', {class: 'quiet'}, name));
  load(card, async () => {
    const all = await operate('overview', {}, {signal: view.signal});
    for (const type of all.recordTypes) if (!/^cloudkit\./.test(type)) rememberType('public', type);
    const wrong = all.stages.filter((one) => /failing|stalled/.test(one.condition)).length;
    const waiting = all.stages.reduce((sum, one) => sum + (one.entriesBehind ?? 0), 0);
    fill(card, h('div', {class: 'card-head'}, h('h2', null, texts.service), h('span', {class: 'note'}, marked(all.version, 60)), all.isReady
      ? badge(texts.ready, 'good') : badge(texts.notReady, 'bad')),
      all.obstacles.length > 0 && h('ul', {class: 'bullets bad'}, all.obstacles.map((text) => h('li', null, marked(text, 300)))),
        all.refusal && h('p', {class: 'bad'}, marked(all.refusal, 500)),
      h('div', {class: 'figures'}, figure(wrong ? `✕ ${grouped(wrong)}` : '✓ 0', texts.partitionsWrong, {name: 'stages', needs: ['stages']},
        wrong ? 'bad' : 'good'), figure(grouped(waiting), texts.entriesWait, {name: 'stages', needs: ['stages']}),
        figure(all.setAside ? `✕ ${grouped(all.setAside)}` : '✓ 0', texts.setAside,
          {name: 'poison', needs: ['poison/list', 'poison/retry']},
          all.setAside ? 'bad' : 'good'), figure(grouped(all.recordTypes.length), texts.recordTypes, {name: 'schema', needs: ['schema']})));
  }, {signal: view.signal});
  return card;
}
